/* The page: its form, its address, its picture. Before this: text.js. */
const element = (id) => document.getElementById(id);
const program = JSON.parse(element("made").textContent), programText = element("text").textContent;
const fields = ["values", "algorithm", "op", "type", "block-threads", "items", "exclusive"];
const CELL_HEIGHT = 24, PITCH_Y = 74, MOST_LISTED = 64;
let shown = null; /* record, steps and now, the number of the step, of the last state that was right */

/* What the program made the page for, and over it what the address has after "?" or "#". */
function stateOfAddress() {
    const given = new Map([...new URLSearchParams(location.search), ...new URLSearchParams(location.hash.slice(1))]);
    const state = {};
    for (const name of fields)
        state[name] = given.has(name) ? given.get(name)
            : name === "values" ? program.values.join(" ")
            : name === "block-threads" ? String(program.threads || "")
            : name === "items" ? String(program.items || "")
            : name === "exclusive" ? (program.exclusive ? "1" : "") : program[name];
    state.step = Number.parseInt(given.get("step") || "0", 10) || 0;
    return state;
}

function addressOf(state) {
    const words = new URLSearchParams();
    for (const name of [...fields, "step"])
        if (state[name] !== "" && !(name === "step" && state.step === 0))
            words.set(name, name === "values" ? state.values.trim().split(/[\s,;]+/).join(" ") : state[name]);
    return "#" + words.toString();
}

function readForm() {
    const state = {};
    for (const name of fields)
        state[name] = name === "exclusive" ? (element(name).checked ? "1" : "") : element(name).value.trim();
    return state;
}

function writeForm(state) {
    for (const name of fields)
        if (name === "exclusive")
            element(name).checked = state[name] !== "" && state[name] !== "0";
        else
            element(name).value = state[name];
    for (const name of ["algorithm", "op", "type"])
        if (element(name).value === "")
            throw new Error(`${name}: there is no ${state[name]}`);
}

function countOf(name, words) {
    if (words === "")
        return 0;
    if (!/^[1-9]\d{0,4}$/.test(words))
        throw Object.assign(new Error(`${name}: '${words}' is not a number from 1 to 99999`), { field: name });
    return Number(words);
}

/* The state as traceScan() takes it. */
function scanState(form) {
    const values = form.values.split(/[\s,;]+/).filter((word) => word !== "");
    if (values.length > program.most)
        throw new Error(`the page takes up to ${program.most} values, not ${values.length}`);
    return {
        algorithm: form.algorithm, op: form.op, type: form.type, exclusive: form.exclusive === "1", values,
        threads: countOf("block-threads", form["block-threads"]), items: countOf("items", form.items),
    };
}

/* The picture: all rows are drawn once; classes tell which step is shown. */
function draw({ record, steps }) {
    const print = (cell) => record.type.print(cell.value);
    const characters = Math.max(2, ...record.rows.flatMap((row) => row.cells.map((cell) => print(cell).length)));
    const width = 10 + 8 * characters, wide = element("picture").clientWidth || 360;
    const pitch = clamp((wide - 28) / record.n, width + 8, 2.5 * width), left = 14 + width / 2;
    const x = (height) => left + height * pitch / 2, y = (k) => 36 + k * PITCH_Y;
    const all = Math.max(x(2 * record.n - 1) + width / 2 + 14, 330);
    let bands = "", nodes = "";
    for (let begin = 0; record.blocks && begin < record.n; begin += 2 * blockSize(record)) {
        const end = Math.min(begin + blockSize(record), record.n);
        bands += `<rect class="block" x="${x(2 * begin - 1)}" y="0" width="${(end - begin) * pitch}" height="${y(steps.length)}"/>`;
    }
    const lineTo = (kind, from, k, height) => {
        if (from === undefined && kind !== "operation")
            return "";
        const [x0, y0] = from === undefined ? [x(height) - 12, y(k) - 22] : [x(from.height), y(from.step) + CELL_HEIGHT];
        return `<line class="${kind}" x1="${x0}" y1="${y0}" x2="${x(height) - (kind === "operation" ? 5 : 0)}" y2="${y(k)}"/>`;
    };
    steps.forEach((step, k) => {
        const lines = step.cells.map(({ height, made, from }) => made === NOWHERE ? lineTo("kept", from[1], k, height)
            : lineTo("later", from[1], k, height) + lineTo("operation", from[0], k, height));
        const cells = step.cells.map((cell, i) =>
            `<g id="cell-${k}.${i}" class="${cell.made === NOWHERE ? "" : "made"}"><rect class="cell" rx="5" x="${x(cell.height) - width / 2}" ` +
            `y="${y(k)}" width="${width}" height="${CELL_HEIGHT}"/><text x="${x(cell.height)}" y="${y(k) + 17}">${print(cell)}</text></g>`);
        nodes += `<g id="row-${k}">${lines.join("")}<text class="name" x="14" y="${y(k) - 7}">${step.label}</text>${cells.join("")}</g>`;
    });
    element("picture").innerHTML =
        `<svg width="${all}" height="${y(steps.length) - 36}" aria-hidden="true"><defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" ` +
        `markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5 L8 4 L0 7.5 z"/></marker></defs>` +
        bands + nodes + "</svg>";
}

function fillRow(table, head, cells) {
    const row = element(table).tBodies[0].insertRow(), th = document.createElement("th");
    th.scope = "row";
    th.append(head);
    row.append(th);
    for (const cell of cells)
        row.insertCell().textContent = cell;
    return row;
}

function writeCounts({ record, steps, now }) {
    const sum = (end, of) => steps.slice(0, end).reduce((total, step) => total + of(step), 0);
    const kinds = [
        ["operations", (step) => step.operations.length, textbook(record)],
        ["steps (depth)", (step) => (step.operations.length > 0 ? 1 : 0), textbookSteps(record)],
        ["elements read", (step) => step.read.size, ""], ["elements written", (step) => step.written, ""],
    ];
    element("counts").tBodies[0].replaceChildren();
    for (const [name, of, most] of kinds)
        fillRow("counts", name, [of(steps[now]), sum(now + 1, of), sum(steps.length, of), most]);
}

/* The operations of the step whose results the row shows, as text. */
function listOperations({ record, steps, now }) {
    const print = (part) => record.type.print(part.value), step = steps[now], sign = record.op.sign;
    const made = step.cells.map((cell, i) => ({ cell, i })).filter(({ cell }) => cell.made !== NOWHERE);
    const items = made.slice(0, MOST_LISTED).map(({ cell, i }) => {
        const { earlier, later } = record.operations[cell.made], [a, b] = [earlier, later].map(print);
        const name = (height, index) => `${height % 2 === 0 ? "element" : "sum"} ${index}`;
        const place = (from, part) => part.maker === IDENTITY ? "the identity"
            : from === undefined ? "" : name(from.height, from.i);
        const text = /^[a-z]/.test(sign) ? `${sign}(${a}, ${b})` : `${a} ${sign} ${b}`;
        const reads = [place(cell.from[0], earlier), place(cell.from[1], later)].filter(Boolean).join(" and ");
        return `${name(cell.height, i)} ← ${text} = ${print(record.operations[cell.made])}   (${reads})`;
    });
    if (made.length > MOST_LISTED)
        items.push(`and ${made.length - MOST_LISTED} more`);
    if (step.operations.length > made.length)
        items.push(`and ${step.operations.length - made.length} of lanes without a value`);
    element("operations").replaceChildren(...(items.length > 0 ? items : ["none"]).map((text) => {
        const item = document.createElement("li");
        item.textContent = text;
        return item;
    }));
}

function goTo(step) {
    const { steps } = shown, now = shown.now = clamp(step, 0, steps.length - 1);
    steps.forEach((_, k) => element(`row-${k}`).setAttribute("class", k === now ? "now" : k > now ? "to-come" : "past"));
    document.querySelectorAll("#picture .read").forEach((cell) => cell.classList.remove("read"));
    for (const place of steps[now].read)
        element("cell-" + place).classList.add("read");
    const { operations, read, written, label } = steps[now], count = operations.length;
    element("now").textContent = `Step ${now} of ${steps.length - 1}: ${label}. ` + (count === 0 ? "No operation."
        : `${count} operation${count === 1 ? "" : "s"}; ${read.size} elements read, ${written} written.`);
    const slider = element("step");
    slider.max = steps.length - 1;
    slider.value = now;
    slider.setAttribute("aria-valuetext", `${now}: ${label}`);
    element("first").disabled = element("back").disabled = now === 0;
    element("last").disabled = element("forward").disabled = now === steps.length - 1;
    writeCounts(shown);
    listOperations(shown);
    const box = element("picture"), top = now * PITCH_Y;
    if (top < box.scrollTop + PITCH_Y || top + 2 * PITCH_Y > box.scrollTop + box.clientHeight)
        box.scrollTop = top + 1.5 * PITCH_Y - box.clientHeight / 2;
    history.replaceState(null, "", addressOf({ ...readForm(), step: now }));
}

function compareAll(state) {
    element("compare").tBodies[0].replaceChildren();
    for (const algorithm of program.algorithms) {
        const record = traceScan({ ...state, algorithm, threads: 0, items: 0 }), steps = stepsOf(record);
        const link = document.createElement("a");
        link.href = addressOf({ ...readForm(), algorithm, "block-threads": "", items: "", step: 0 });
        link.textContent = algorithm + (record.blocks ? " (blocks)" : "");
        fillRow("compare", link, [record.operations.length, textbook(record),
            steps.filter((step) => step.operations.length > 0).length]);
    }
}

function commandOf(state) {
    const option = (name, value, usual) => (value === usual ? "" : ` --${name} ${value}`);
    return "parscan trace" + option("algorithm", state.algorithm, "kogge-stone") + option("op", state.op, "sum") +
        option("type", state.type, "i64") + (state.exclusive ? " --exclusive" : "") +
        option("block-threads", state.threads, 0) + option("items", state.items, 0) + " -- " + state.values.join(" ");
}

/* Computes and shows what the form has; the picture stays, pale, while something is wrong. */
function update(step) {
    for (const name of ["values", "block-threads", "items"])
        element(name).removeAttribute("aria-invalid");
    try {
        const state = scanState(readForm()), record = traceScan(state), steps = stepsOf(record);
        findOperands(record, steps);
        shown = { record, steps, now: 0 };
        element("problem").textContent = "";
        element("result").classList.remove("stale");
        element("title").textContent = title(record);
        element("legend").textContent = "arrow: the earlier operand; line from above: the later one, or an element as it was";
        element("command").textContent = commandOf(state);
        element("text").textContent = traceText(record, steps);
        draw(shown);
        compareAll(state);
        goTo(step === "last" ? steps.length - 1 : step);
    } catch (error) {
        element("problem").textContent = error.message;
        element(error.field || "values").setAttribute("aria-invalid", "true");
        element("result").classList.add("stale");
    }
}

function readAddress() {
    const state = stateOfAddress();
    try {
        writeForm(state);
    } catch (error) {
        element("problem").textContent = error.message;
        return;
    }
    update(state.step);
}

function start() {
    for (const [name, list] of [["algorithm", program.algorithms], ["op", program.ops], ["type", program.types]])
        element(name).append(...list.map((word) => new Option(word, word)));
    const examples = [
        ["Kogge-Stone", "kogge-stone", ""], ["Brent-Kung", "brent-kung", ""], ["three-phase", "three-phase", ""],
        ["hierarchical, blocks of 4", "brent-kung", "2"], ["warp", "warp", ""],
    ];
    for (const [name, algorithm, threads] of examples) {
        const link = document.createElement("a"), n = threads === "" ? 8 : 16;
        link.href = addressOf({ values: [4, 6, 7, 1, 2, 8, 5, 2, 3, 1, 7, 0, 4, 1, 6, 3].slice(0, n).join(" "), algorithm,
            op: "sum", type: "i64", "block-threads": threads, items: "", exclusive: "", step: 0 });
        link.textContent = name;
        element("examples").append(link);
    }
    const same = sameAsProgram(program, programText);
    element("check").textContent = same
        ? `This browser's steps of what the page was made for are parscan's: ${program.operations.length} operations were compared.`
        : "This browser's steps differ from parscan's: believe the program.";
    element("check").dataset.same = same;
    element("form").addEventListener("input", () => update(shown === null ? 0 : shown.now));
    element("form").addEventListener("submit", (event) => event.preventDefault());
    element("step").addEventListener("input", (event) => goTo(Number(event.target.value)));
    const moves = { first: () => 0, back: (now) => now - 1, forward: (now) => now + 1, last: () => Infinity };
    for (const [id, move] of Object.entries(moves))
        element(id).addEventListener("click", () => goTo(move(shown.now)));
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
    document.addEventListener("keydown", (event) => {
        if (shown === null || !(event.key in keys) || event.ctrlKey || event.altKey || event.metaKey ||
            /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
            return;
        if (event.target === element("picture") && event.target.scrollWidth > event.target.clientWidth)
            return; /* the keys scroll it */
        event.preventDefault();
        goTo(moves[keys[event.key]](shown.now));
    });
    addEventListener("hashchange", readAddress);
    readAddress();
}

start();
