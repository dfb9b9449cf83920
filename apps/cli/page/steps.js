/* The algorithms and the record of their steps; before this: scan.js. */

/* trace_textbook.c and scan/block/block_shape.c: threads and items that are 0 are chosen so that one block holds
   n values, if the algorithm allows blocks of that size. */
const limits = { /* threads, items: the least, the most; what is wrong otherwise */
    "kogge-stone": [2, 1024, 1, 1, "kogge-stone takes 2 to 1024 threads", "kogge-stone takes one element a thread"],
    "brent-kung": [1, 1024, 2, 2, "brent-kung takes 1 to 1024 threads", "brent-kung takes two elements a thread"],
    "three-phase": [1, 1024, 1, BLOCK_MAX_BYTES, "three-phase takes 1 to 1024 threads",
        "a block holds at least 2 elements and at most 48 KiB, padding included"],
    "warp": [32, 32, 1, 1, "a warp scan takes 32 threads", "a warp scan takes one element a thread"],
};
limits["warp-padded"] = limits.warp;

const log2Up = (n) => Math.ceil(Math.log2(n));
const padded = (n) => n + Math.floor(n / 32) + 1;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function fits(shape, bytes) {
    const tile = padded(shape.threads * shape.items);
    const more = { "kogge-stone": tile, "three-phase": 2 * padded(shape.threads), "warp-padded": 48 };
    return (tile + (more[shape.algorithm] || 0)) * bytes <= BLOCK_MAX_BYTES;
}

function chooseThreePhase(shape, n, bytes) {
    const threadsFree = shape.threads === 0, itemsFree = shape.items === 0;
    if (threadsFree && itemsFree)
        shape.threads = clamp(2 ** Math.floor((log2Up(n) + 1) / 2), 1, BLOCK_MAX_THREADS);
    if (itemsFree)
        shape.items = clamp(Math.ceil(n / shape.threads), shape.threads === 1 ? 2 : 1, BLOCK_MAX_BYTES);
    else if (threadsFree)
        shape.threads = clamp(Math.ceil(n / shape.items), shape.items === 1 ? 2 : 1, BLOCK_MAX_THREADS);
    while (itemsFree && shape.items > 1 && !fits(shape, bytes))
        shape.items--;
    while (threadsFree && shape.threads > 1 && !fits(shape, bytes))
        shape.threads--;
}

/* A shape whose numbers are chosen and right, or an Error. */
function completeShape(asked, n, bytes) {
    const shape = { ...asked };
    if (shape.algorithm === "sequential") {
        if (shape.threads !== 0 || shape.items !== 0)
            throw new Error("sequential has no blocks: threads and items are for the other algorithms");
        return { algorithm: shape.algorithm, threads: 1, items: n };
    }
    const [leastThreads, mostThreads, leastItems, mostItems, threadsWrong, itemsWrong] = limits[shape.algorithm];
    if (shape.threads === 0 && shape.algorithm === "kogge-stone")
        shape.threads = clamp(n, 2, BLOCK_MAX_THREADS);
    if (shape.threads === 0 && shape.algorithm === "brent-kung")
        shape.threads = clamp(Math.ceil(n / 2), 1, BLOCK_MAX_THREADS);
    if (shape.algorithm === "three-phase")
        chooseThreePhase(shape, n, bytes);
    shape.threads = shape.threads || leastThreads;
    shape.items = shape.items || leastItems;
    if (shape.threads < leastThreads || shape.threads > mostThreads)
        throw new Error(threadsWrong);
    if (shape.items < leastItems || shape.items > mostItems)
        throw new Error(itemsWrong);
    if (shape.threads * shape.items < 2 || !fits(shape, bytes))
        throw new Error(limits["three-phase"][5]);
    return shape;
}

/* trace_record.c: the makers are k for operation k, -1 - i for input i. */
const blockSize = (record) => record.shape.threads * record.shape.items;

function addRow(record, label, what = "", value = 0, sums = false) {
    record.rows.push({ label, what, value, sums, depth: 1, cells: [] });
    return record.rows.length - 1;
}

function addCell(record, row, element, height, begins) {
    let value = element.value;
    if (element.maker === IDENTITY || (record.exclusive && row > 0 && height === 0)) {
        const start = identity(record);
        value = start == 0 ? record.type.wrap(record.type.isInteger ? 0n : 0) : start;
    }
    record.rows[row].cells.push({ value, maker: element.maker, height, begins });
    if (element.maker !== IDENTITY && element.maker >= 0 && record.operations[element.maker].row === NOWHERE)
        record.operations[element.maker].row = row;
}

function combine(record, earlier, later) {
    const pendingDepth = (maker) =>
        maker === IDENTITY || maker < record.firstPending ? 0 : record.operations[maker].depth;
    const depth = 1 + Math.max(pendingDepth(earlier.maker), pendingDepth(later.maker));
    const value = record.type.wrap(record.op.combine(earlier.value, later.value));
    record.operations.push({ earlier, later, value, row: NOWHERE, depth });
    return { value, maker: record.operations.length - 1 };
}

/* trace_steps.c: a row holds the same step of all blocks of a level. */
const heightOfSum = (last) => (last % 2 === 0 ? last + 1 : last - 2);

function levelLabel(level, what) {
    return level === 0 ? what : level === 1 ? "sums: " + what : `sums of level ${level}: ${what}`;
}

function carry(record, to) {
    const onlySum = record.rows[to].sums && !record.rows[record.stateRow].sums;
    for (let i = onlySum ? record.stateN - 1 : 0; i < record.stateN; i++) {
        const cell = record.rows[record.stateRow].cells[record.stateBegin + i];
        addCell(record, to, cell, onlySum ? heightOfSum(cell.height) : cell.height, onlySum || cell.begins);
    }
}

function endBlock(record) {
    for (; record.tile > 0 && record.nextRow < record.rows.length; record.nextRow++)
        carry(record, record.nextRow);
}

function beginBlock(record) {
    endBlock(record);
    const size = blockSize(record);
    record.tileBegin = Math.min(record.tile++ * size, record.levelN);
    record.tileN = Math.min(size, record.levelN - record.tileBegin);
    record.nextRow = record.firstRow;
    record.stateRow = record.beginRow[record.level];
    record.stateBegin = record.tileBegin;
    record.stateN = record.tileN;
    record.tileArray = null;
    record.firstPending = record.operations.length;
}

function showStep(record, array, n, what, value) {
    record.tileArray = record.tileArray || array;
    const sums = record.shape.algorithm === "three-phase" && array !== record.tileArray;
    let step = record.nextRow;
    while (step < record.rows.length && !(record.rows[step].value === value &&
        record.rows[step].sums === sums && record.rows[step].what === what))
        step++;
    if (step === record.rows.length)
        addRow(record, levelLabel(record.level, `${sums ? "segment sums, " : ""}${what} ${value}`), what, value, sums);
    for (; record.nextRow < step; record.nextRow++)
        carry(record, record.nextRow);
    const row = record.rows[step], first = row.cells.length, items = record.shape.items;
    const begin = record.rows[record.beginRow[record.level]].cells.slice(record.tileBegin);
    for (let i = 0; i < n; i++) {
        const last = Math.min((i + 1) * items, record.tileN) - 1;
        addCell(record, step, array[i], sums ? heightOfSum(begin[last].height) : begin[i].height, i === 0);
    }
    for (const operation of record.operations.slice(record.firstPending)) {
        operation.row = step;
        row.depth = Math.max(row.depth, operation.depth);
    }
    record.firstPending = record.operations.length;
    record.stateRow = step;
    record.stateBegin = first;
    record.stateN = n;
    record.nextRow = step + 1;
}

function showPhase(record, what, array, n) {
    endBlock(record);
    const sums = record.tile === 0, newSums = sums && n < record.levelN, size = blockSize(record);
    record.tile = 0;
    if (!sums && n <= size)
        return;
    const begin = record.rows[record.beginRow[record.level]].cells;
    if (sums && !newSums)
        record.level--;
    const row = addRow(record, levelLabel(record.level, what), what);
    for (let i = 0; i < n; i++)
        addCell(record, row, array[i],
            newSums ? heightOfSum(begin[Math.min((i + 1) * size, record.levelN) - 1].height) : begin[i].height,
            i % size === 0);
    if (newSums)
        record.beginRow[++record.level] = row;
    record.levelN = record.rows[record.beginRow[record.level]].cells.length;
    record.firstRow = record.rows.length;
    record.firstPending = record.operations.length;
}

/* scan/block/: each scans array[0 .. n) and returns the array of the result. */
function koggeStone(record, from, to, n) {
    for (let stride = 1; stride < n; stride *= 2) {
        for (let t = 0; t < n; t++)
            to[t] = t < stride ? from[t] : combine(record, from[t - stride], from[t]);
        showStep(record, to, n, "stride", stride);
        [from, to] = [to, from];
    }
    return from;
}

function brentKung(record, tile, n) {
    let stride = 1;
    for (; 2 * stride <= n; stride *= 2) {
        for (let i = 2 * stride - 1; i < n; i += 2 * stride)
            tile[i] = combine(record, tile[i - stride], tile[i]);
        showStep(record, tile, n, "upsweep, stride", stride);
    }
    for (stride /= 2; stride >= 1; stride /= 2) {
        if (3 * stride > n)
            continue;
        for (let i = 2 * stride - 1; i + stride < n; i += 2 * stride)
            tile[i + stride] = combine(record, tile[i], tile[i + stride]);
        showStep(record, tile, n, "downsweep, stride", stride);
    }
    return tile;
}

function sequential(record, tile, n) {
    for (let i = 1; i < n; i++)
        tile[i] = combine(record, tile[i - 1], tile[i]);
    showStep(record, tile, n, "one thread scans all", n);
    return tile;
}

function threePhase(record, items, tile, n) {
    const sums = [], end = (begin) => Math.min(begin + items, n);
    for (let begin = 0; begin < n; begin += items) {
        for (let i = begin + 1; i < end(begin); i++)
            tile[i] = combine(record, tile[i - 1], tile[i]);
        sums.push(tile[end(begin) - 1]);
    }
    showStep(record, tile, n, "each thread scans its segment of", items);
    const before = koggeStone(record, sums, [], sums.length);
    for (let t = 1; t < before.length; t++)
        for (let i = t * items; i < end(t * items); i++)
            tile[i] = combine(record, before[t - 1], tile[i]);
    showStep(record, tile, n, "the sums before are added to segments of", items);
    return tile;
}

function warp(record, tile, n) {
    for (let stride = 1; stride < n; stride *= 2) {
        const earlier = tile.slice();
        for (let t = stride; t < n; t++)
            tile[t] = combine(record, earlier[t - stride], tile[t]);
        showStep(record, tile, n, "stride", stride);
    }
    return tile;
}

/* Below lane 0 lie identities; lanes without a value repeat the last one. */
function warpPadded(record, tile, n) {
    const nothing = { value: identity(record), maker: IDENTITY }, first = tile[0];
    let lanes = Array.from({ length: WARP_SIZE }, (_, t) => tile[Math.min(t, n - 1)]);
    for (let stride = 1; stride < n; stride *= 2) {
        lanes = lanes.map((lane, t) => combine(record, t < stride ? nothing : lanes[t - stride], lane));
        showStep(record, lanes, n, "stride", stride);
    }
    return [first, ...lanes.slice(1)];
}

function blockScan(record, tile, n) {
    switch (record.shape.algorithm) {
    case "kogge-stone":
        return koggeStone(record, tile, [], n);
    case "brent-kung":
        return brentKung(record, tile, n);
    case "three-phase":
        return threePhase(record, record.shape.items, tile, n);
    case "warp":
        return warp(record, tile, n);
    case "warp-padded":
        return warpPadded(record, tile, n);
    default:
        return sequential(record, tile, n);
    }
}

/* block_load() of scan/block/block_scan.h */
function load(record, from, begin, n, exclusive) {
    const tile = from.slice(begin, begin + n);
    return exclusive ? [{ value: identity(record), maker: IDENTITY }, ...tile.slice(0, -1)] : tile;
}

/* scan/hierarchical/hierarchical_cpu_template.h: scans `array` in place. Returns the sums of its blocks. */
function scanLevel(record, array, exclusive) {
    const size = blockSize(record), sums = [], lengthAt = (begin) => Math.min(size, array.length - begin);
    for (let begin = 0; begin < array.length; begin += size) {
        beginBlock(record);
        const n = lengthAt(begin), last = array[begin + n - 1];
        const result = blockScan(record, load(record, array, begin, n, exclusive), n);
        sums.push(exclusive ? combine(record, result[n - 1], last) : result[n - 1]);
        array.splice(begin, n, ...result.slice(0, n));
    }
    showPhase(record, "each block scanned", array, array.length);
    if (sums.length === 1)
        return;
    showPhase(record, "sums of the blocks", sums, sums.length);
    scanLevel(record, sums, false);
    showPhase(record, "sums of the blocks, scanned", sums, sums.length);
    for (let k = 1; k < sums.length; k++) {
        beginBlock(record);
        for (let i = k * size; i < k * size + lengthAt(k * size); i++)
            array[i] = combine(record, sums[k - 1], array[i]);
    }
    showPhase(record, "sums added back", array, array.length);
}

/* trace_round() */
function showRounded(record) {
    const type = record.type, last = record.rows.length - 1;
    if (!type.isStored)
        return;
    const row = addRow(record, "rounded to " + record.typeName);
    for (const cell of record.rows[last].cells)
        addCell(record, row, { value: type.store(cell.value), maker: cell.maker }, cell.height, cell.begins);
}

/*
 * Scans the values of a state and records it. A state is what the page's address has: algorithm, op, type,
 * exclusive, threads and items (0: choose), and values, a list of words. What is wrong is an Error.
 */
function traceScan(state) {
    const type = types[state.type], op = operators[state.op], n = state.values.length;
    if (type === undefined || op === undefined)
        throw new Error(`the page has no ${type === undefined ? state.type : state.op}: see parscan trace`);
    if (n === 0)
        throw new Error("at least one value is needed");
    if (op.integers && !type.isInteger)
        throw new Error(`${state.op} is for integers, not for ${state.type}`);
    const shape = completeShape({ algorithm: state.algorithm, threads: state.threads, items: state.items }, n, type.bytes);
    const inputs = state.values.map((word, i) => ({ value: type.read(word), maker: -1 - i }));
    const record = {
        type, op, shape, n, exclusive: state.exclusive, typeName: state.type, opName: state.op, blocks: false,
        operations: [], rows: [], level: 0, levelN: n, beginRow: [], tile: 0, firstPending: 0,
    };
    const tile = blockSize(record);
    record.blocks = n > tile;
    addRow(record, "values");
    inputs.forEach((input, i) => addCell(record, 0, input, 2 * i, i % tile === 0));
    if (state.exclusive) {
        addRow(record, "shifted by one");
        for (let begin = 0; begin < n; begin += tile)
            load(record, inputs, begin, tile, true)
                .forEach((input, i) => addCell(record, 1, input, 2 * (begin + i), i === 0));
    }
    record.beginRow[0] = record.rows.length - 1;
    record.firstRow = record.rows.length;
    if (record.blocks) {
        scanLevel(record, inputs, state.exclusive);
    } else {
        beginBlock(record);
        blockScan(record, load(record, inputs, 0, n, state.exclusive), n);
    }
    showRounded(record);
    return record;
}
