#include "scan/runtime/custom_code_state.h"

#include <stdio.h>
#include <string.h>

#include "scan/context/context_state.h"
#include "scan/runtime/device_texts.h"
#include "scan/runtime/nvrtc.h"

/* Copies `size` bytes of what *field points to, aligned, and lets it point to the copy. With to == NULL only
   counts. Returns the bytes that it takes. */
static size_t copy_bytes(char *to, size_t at, const void **field, size_t size)
{
    if (*field == NULL)
        return 0;
    if (to != NULL)
        *field = memcpy(to + at, *field, size);
    return (size + 15) / 16 * 16;
}

static size_t copy_string(char *to, size_t at, const char **field)
{
    const void *bytes = *field;
    const size_t size = copy_bytes(to, at, &bytes, *field == NULL ? 0 : strlen(*field) + 1);
    *field = bytes;
    return size;
}

/* Lets the strings and bytes of a text point to copies. */
static size_t copy_text(char *to, custom_text *text, const char **cache_folder)
{
    const char **const strings[] = {&text->source,       &text->type,  &text->function,
                                    &text->load,         &text->store, &text->load_source,
                                    &text->store_source, cache_folder};
    size_t at = 0;
    for (size_t k = 0; k < sizeof strings / sizeof *strings; k++)
        at += copy_string(to, at, strings[k]);
    at += copy_bytes(to, at, &text->identity, text->size);
    return at + copy_bytes(to, at, &text->state, text->state_size);
}

parscan_status parscan_custom_code_create(custom_code **code, const custom_text *text,
                                          const char *cache_folder, double compile_seconds,
                                          const parscan_allocator *allocator,
                                          void (*unload)(void *library))
{
    custom_code *const made = parscan_host_allocate(allocator, sizeof *made);
    *code = NULL;
    if (made == NULL)
        return PARSCAN_ERROR_OUT_OF_MEMORY;
    *made = (custom_code){.allocator = *allocator,
                          .holders = 1,
                          .text = *text,
                          .cache_folder = cache_folder,
                          .compile_seconds = compile_seconds,
                          .unload = unload};
    made->copies =
        parscan_host_allocate(allocator, copy_text(NULL, &made->text, &made->cache_folder) + 1);
    if (made->copies == NULL || pthread_mutex_init(&made->mutex, NULL) != 0) {
        parscan_host_release(allocator, made->copies);
        parscan_host_release(allocator, made);
        return PARSCAN_ERROR_OUT_OF_MEMORY;
    }
    copy_text(made->copies, &made->text, &made->cache_folder);
    *code = made;
    return PARSCAN_OK;
}

void parscan_custom_code_lock(custom_code *code)
{
    pthread_mutex_lock(&code->mutex);
}

void parscan_custom_code_unlock(custom_code *code)
{
    pthread_mutex_unlock(&code->mutex);
}

void parscan_custom_code_retain(custom_code *code)
{
    parscan_custom_code_lock(code);
    code->holders++;
    parscan_custom_code_unlock(code);
}

static void destroy(custom_code *code)
{
    const parscan_allocator allocator = code->allocator;
    while (code->loaded != NULL) {
        custom_loaded *const loaded = code->loaded;
        code->loaded = loaded->next;
        code->unload(loaded->library);
        parscan_host_release(&allocator, loaded);
    }
    while (code->kept != NULL) {
        kept_code *const kept = code->kept;
        code->kept = kept->next;
        parscan_host_release(&allocator, kept->bytes);
        parscan_host_release(&allocator, kept);
    }
    parscan_host_release(&allocator, code->log);
    parscan_host_release(&allocator, code->copies);
    pthread_mutex_destroy(&code->mutex);
    parscan_host_release(&allocator, code);
}

void parscan_custom_code_release(custom_code *code)
{
    if (code == NULL)
        return;
    parscan_custom_code_lock(code);
    const bool last = --code->holders == 0;
    parscan_custom_code_unlock(code);
    if (last)
        destroy(code);
}

const custom_text *parscan_custom_code_text(const custom_code *code)
{
    return &code->text;
}

const char *parscan_custom_code_log(const custom_code *code)
{
    return code == NULL || code->log == NULL ? "" : code->log;
}

/* The key of a program's text, as this version of the library compiles it. */
static code_key key_of(const char *text, int architecture)
{
    const code_key none = {{0, 0}};
    const code_key version =
        parscan_code_key_of(none, parscan_device_text_hash, strlen(parscan_device_text_hash));
    return parscan_code_key_of(parscan_code_key_of(version, text, strlen(text)), &architecture,
                               sizeof architecture);
}

parscan_status parscan_custom_code_key(const custom_code *code, const custom_program *program,
                                       code_key *key)
{
    char *const text = parscan_custom_program_text(&code->text, program, &code->allocator);
    if (text == NULL)
        return PARSCAN_ERROR_OUT_OF_MEMORY;
    *key = key_of(text, program->architecture);
    parscan_host_release(&code->allocator, text);
    return PARSCAN_OK;
}

const custom_loaded *parscan_custom_code_loaded(const custom_code *code, code_key key, int device)
{
    const custom_loaded *loaded = code->loaded;
    while (loaded != NULL && !(loaded->device == device && code_keys_are_equal(loaded->key, key)))
        loaded = loaded->next;
    return loaded;
}

parscan_status parscan_custom_code_add_loaded(custom_code *code, const custom_loaded *loaded)
{
    custom_loaded *const copy = parscan_host_allocate(&code->allocator, sizeof *copy);
    if (copy == NULL)
        return PARSCAN_ERROR_OUT_OF_MEMORY;
    *copy = *loaded;
    copy->next = code->loaded;
    code->loaded = copy;
    return PARSCAN_OK;
}

kept_code *parscan_custom_find_kept(const custom_code *code, code_key key)
{
    kept_code *kept = code->kept;
    while (kept != NULL && !code_keys_are_equal(kept->key, key))
        kept = kept->next;
    return kept;
}

kept_code *parscan_custom_keep(custom_code *code, code_key key, int architecture, char *bytes,
                               size_t size)
{
    kept_code *kept = parscan_custom_find_kept(code, key);
    if (kept == NULL) {
        kept = parscan_host_allocate(&code->allocator, sizeof *kept);
        if (kept == NULL) {
            parscan_host_release(&code->allocator, bytes);
            return NULL;
        }
        kept->next = code->kept;
        code->kept = kept;
    } else {
        parscan_host_release(&code->allocator, kept->bytes);
    }
    kept->key = key;
    kept->architecture = (uint64_t)architecture;
    kept->bytes = bytes;
    kept->size = size;
    return kept;
}

/* The line of the log that tells the first error. */
static void copy_first_error(const char *log, char *words, size_t room)
{
    const char *line = log != NULL ? log : "";
    const char *const error = strstr(line, "error");
    if (error != NULL)
        for (line = error; line > log && line[-1] != '\n';)
            line--;
    const size_t length = strcspn(line, "\n");
    snprintf(words, room, "the operator's text does not compile: %.*s", (int)length, line);
}

static void explain(const custom_code *code, parscan_status status, double seconds, char *words,
                    size_t room)
{
    if (status == PARSCAN_ERROR_INVALID_ARGUMENT)
        copy_first_error(code->log, words, room);
    else if (status == PARSCAN_ERROR_OUT_OF_MEMORY)
        snprintf(words, room, "no memory to compile an operator");
    else if (status == PARSCAN_ERROR_UNSUPPORTED && seconds > 0)
        snprintf(words, room, "the operator was not compiled in compile_seconds = %g", seconds);
    else if (status == PARSCAN_ERROR_UNSUPPORTED)
        snprintf(words, room, "this machine's NVRTC does not know a device as old as this one");
    else
        snprintf(words, room, "NVRTC failed to compile an operator: %.200s",
                 parscan_custom_code_log(code));
}

static parscan_status compile(custom_code *code, const custom_request *request, const char *text,
                              nvrtc_output *output, char *words, size_t room)
{
    const nvrtc_input input = {.text = text,
                               .headers = parscan_device_texts,
                               .names = parscan_device_text_names,
                               .count = parscan_device_text_count,
                               .architecture = request->program.architecture,
                               .seconds = code->compile_seconds,
                               .exact = request->program.kind == CUSTOM_TREE};
    nvrtc_library nvrtc;
    const char *const wrong = parscan_nvrtc_open(&nvrtc, request->driver, request->nvrtc);
    if (wrong != NULL) {
        snprintf(words, room, "%s", wrong);
        return PARSCAN_ERROR_UNSUPPORTED;
    }
    const parscan_status status = parscan_nvrtc_compile(&nvrtc, &input, &code->allocator, output);
    parscan_nvrtc_close(&nvrtc);
    parscan_host_release(&code->allocator, code->log);
    code->log = output->log;
    if (status != PARSCAN_OK)
        explain(code, status, code->compile_seconds, words, room);
    return status;
}

/* The code of a program's text that is not kept. */
static parscan_status make_code(custom_code *code, const custom_request *request, const char *text,
                                code_key key, kept_code **kept, char *words, size_t room)
{
    nvrtc_output output = {.code = NULL};
    parscan_status status = PARSCAN_OK;
    const bool files = code->cache_folder != NULL;
    if (files && !request->anew)
        output.code =
            parscan_code_file_read(code->cache_folder, key, &code->allocator, &output.size);
    const bool found = output.code != NULL;
    if (!found)
        status = compile(code, request, text, &output, words, room);
    if (status != PARSCAN_OK)
        return status;
    if (files && !found)
        parscan_code_file_write(code->cache_folder, key, output.code, output.size,
                                &code->allocator);
    *kept = parscan_custom_keep(code, key, request->program.architecture, output.code, output.size);
    if (*kept == NULL)
        explain(code, PARSCAN_ERROR_OUT_OF_MEMORY, 0, words, room);
    return *kept != NULL ? PARSCAN_OK : PARSCAN_ERROR_OUT_OF_MEMORY;
}

parscan_status parscan_custom_code_get(custom_code *code, const custom_request *request,
                                       code_key *key, const void **bytes, size_t *size, char *words,
                                       size_t room)
{
    parscan_status status = PARSCAN_OK;
    if (code->text.source == NULL) {
        snprintf(words, room, "the operator has no cuda_source, so there is nothing for CUDA");
        return PARSCAN_ERROR_UNSUPPORTED;
    }
    char *const text =
        parscan_custom_program_text(&code->text, &request->program, &code->allocator);
    if (text == NULL) {
        explain(code, PARSCAN_ERROR_OUT_OF_MEMORY, 0, words, room);
        return PARSCAN_ERROR_OUT_OF_MEMORY;
    }
    *key = key_of(text, request->program.architecture);
    kept_code *kept = request->anew ? NULL : parscan_custom_find_kept(code, *key);
    if (kept == NULL)
        status = make_code(code, request, text, *key, &kept, words, room);
    parscan_host_release(&code->allocator, text);
    if (status == PARSCAN_OK) {
        *bytes = kept->bytes;
        *size = kept->size;
    }
    return status;
}
