/* What is told of a record: the text of `parscan trace`, and the counts; before this: steps.js. */

/* trace_cell_at(): a chain of operations starts from the row before, which shows the same places. */
function cellAt(record, row, depth, i) {
    const cell = record.rows[row].cells[i];
    if (depth >= record.rows[row].depth || cell.maker === IDENTITY || cell.maker < 0)
        return cell;
    const made = record.operations[cell.maker];
    return made.row === row && made.depth > depth ? record.rows[row - 1].cells[i] : cell;
}

/* The steps that the text has a line for and the picture a row. */
function stepsOf(record) {
    const steps = [];
    record.rows.forEach((row, k) => {
        for (let depth = 1; depth <= row.depth; depth++)
            steps.push({
                row: k, depth, label: row.depth > 1 ? `${row.label}, step ${depth}` : row.label,
                cells: row.cells.map((_, i) => cellAt(record, k, depth, i)), operations: [],
            });
    });
    record.operations.forEach((operation, number) => {
        const step = steps.find((s) => s.row === operation.row && s.depth === operation.depth);
        if (step !== undefined)
            step.operations.push(number);
    });
    return steps;
}

/* trace_textbook() */
function textbook(record) {
    const n = record.n, log = log2Up(n), round = 2 ** log, algorithm = record.shape.algorithm;
    const most = round === n ? "" : "at most ", where = round === n ? "" : ` for N = ${round}`;
    if (record.blocks)
        return algorithm === "brent-kung" ? `at most ${4 * n - 3}, 4N - 3`
            : "no formula for more than one block";
    const t = Math.ceil(n / record.shape.items);
    switch (algorithm) {
    case "kogge-stone":
    case "warp":
        return `${most}${round * log - (round - 1)}, N log2 N - (N - 1)${where}`;
    case "warp-padded":
        return `${WARP_SIZE * log}, 32 log2 N${where}`;
    case "brent-kung":
        return `${most}${2 * round - 2 - log}, 2N - 2 - log2 N${where}`;
    case "three-phase":
        return `at most ${n - 1 + t * log2Up(t) + n - t}, N - 1 + T log2 T + N - T for T = ${t}`;
    default:
        return `${n - 1}, N - 1`;
    }
}

/* The same for the steps, which are the longest chain of operations that wait for each other. */
function textbookSteps(record) {
    const n = record.n, log = log2Up(n), items = record.shape.items, t = Math.ceil(n / items);
    const most = 2 ** log === n ? "" : "at most ";
    if (record.blocks)
        return "no formula for more than one block";
    switch (record.shape.algorithm) {
    case "brent-kung":
        return n === 1 ? "0" : `${most}${2 * log - 1}, 2 log2 N - 1`;
    case "three-phase": /* its last additions do not wait for each other, but a thread does N / T of them */
        return `at most ${items + log2Up(t)}, N / T + log2 T; by T = ${t} threads 2N / T + log2 T`;
    case "sequential":
        return `${n - 1}, N - 1`;
    default:
        return `${log}, log2 N${2 ** log === n ? "" : " rounded up"}`;
    }
}

function title(record) {
    const { algorithm, threads, items } = record.shape, plural = (count) => (count === 1 ? "" : "s");
    const blocks = algorithm === "sequential" ? ""
        : `, ${record.blocks ? "blocks" : "one block"} of ${threads} thread${plural(threads)}, ` +
            `${items} element${plural(items)} each`;
    return `${algorithm}, ${record.exclusive ? "exclusive" : "inclusive"} ${record.opName} of ${record.n} ` +
        record.typeName + blocks;
}

/* trace_write_text() */
function traceText(record, steps) {
    const print = (cell) => record.type.print(cell.value), longest = (texts) => Math.max(...texts.map((x) => x.length));
    const lastOfRow = steps.filter((step) => step.depth === record.rows[step.row].depth);
    const labelWidth = longest(lastOfRow.map((step) => step.label));
    const valueWidth = longest(record.rows.flatMap((row) => row.cells.map(print)));
    const lines = steps.map((step) => {
        const count = step.operations.length;
        return step.label.padEnd(labelWidth) + " " +
            step.cells.map((cell, i) => (cell.begins && i > 0 ? " |" : "") + " " + print(cell).padStart(valueWidth)).join("") +
            (count > 0 ? `   ${count} operation${count === 1 ? "" : "s"}` : "");
    });
    return `${title(record)}\n\n${lines.join("\n")}\n\n` +
        `operations: ${record.operations.length}\ntextbook:   ${textbook(record)}\n`;
}

/*
 * Finds for every step where the operands of its operations were shown last: step.cells[i] gets made, the number of
 * its operation or NOWHERE, and from, the places { step, i } of its earlier and its later operand, where they
 * are shown, or of the element that it still is. (source() and source_of_earlier() of network_svg.c)
 */
function findOperands(record, steps) {
    const byMaker = new Map(), byHeight = new Map();
    const find = (element, height) => {
        const beside = byHeight.get(height);
        return beside !== undefined && beside.maker === element.maker ? beside
            : element.maker === IDENTITY ? undefined : byMaker.get(element.maker);
    };
    const findEarlier = (element, cells, i) => {
        if (element.maker !== IDENTITY)
            return byMaker.get(element.maker);
        let first = i;
        while (!cells[first].begins)
            first--;
        for (let h = cells[i].height - 1; h >= 0 && h >= cells[first].height - 1; h--)
            if (byHeight.has(h) && byHeight.get(h).maker === IDENTITY)
                return byHeight.get(h);
        return undefined;
    };
    steps.forEach((step, k) => {
        const made = new Set(step.operations);
        step.cells = step.cells.map((cell, i) => {
            if (!made.has(cell.maker))
                return { ...cell, made: NOWHERE, from: [undefined, find(cell, cell.height)] };
            const { earlier, later } = record.operations[cell.maker];
            return {
                ...cell, made: cell.maker,
                from: [findEarlier(earlier, step.cells, i), find(later, cell.height)],
            };
        });
        step.cells.forEach((cell, i) => {
            const place = { step: k, i, height: cell.height, maker: cell.maker };
            byHeight.set(cell.height, place);
            if (cell.maker !== IDENTITY)
                byMaker.set(cell.maker, place);
        });
        const written = step.cells.filter((cell) => cell.made !== NOWHERE);
        step.written = written.length;
        step.read = new Set(written.flatMap((cell) => cell.from.filter(Boolean).map((at) => at.step + "." + at.i)));
    });
}

/* Whether C recorded the same: `made` is what trace_html.c wrote of the state, `text` what `parscan trace` prints. The
   sign of NaN, which the processor chose, is not compared. */
function sameAsProgram(made, text) {
    const plain = (t) => t.replace(/-nan/g, "nan").replace(/ +/g, " ");
    if (!(made.type in types && made.op in operators))
        return false;
    const record = traceScan(made);
    const operations = record.operations.map((o) => [o.earlier.maker, o.later.maker, o.row, o.depth]);
    return plain(traceText(record, stepsOf(record))) === plain(text) &&
        JSON.stringify(operations) === JSON.stringify(made.operations);
}
