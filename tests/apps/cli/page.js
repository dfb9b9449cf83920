"use strict";
/* page.js PAGE...: the steps that each page's script computes are those that C wrote into it. */
const fs = require("fs"), vm = require("vm"), assert = require("assert");

const part = (page, begin, end) => page.slice(page.indexOf(begin) + begin.length, page.indexOf(end, page.indexOf(begin)));

let wrong = 0;
for (const path of process.argv.slice(2)) {
    const page = fs.readFileSync(path, "utf8"), model = vm.createContext({});
    vm.runInContext(part(page, '<script id="model">', "</script>"), model);
    const text = part(page, '<pre id="text">', "</pre>");
    model.made = JSON.parse(part(page, 'id="made">', "</script>"));
    model.text = text;
    /* All that the page offers is known to its script. */
    assert(vm.runInContext("made.types.every((t) => t in types) && made.ops.every((o) => o in operators)", model), path);
    if (!vm.runInContext("sameAsProgram(made, text)", model)) {
        wrong++;
        console.log(`${path}: the page computes\n` +
            vm.runInContext("(() => { const r = traceScan(made); return traceText(r, stepsOf(r)); })()", model) +
            `and the program\n${text}`);
    }
}
assert(process.argv.length > 2 && wrong === 0, `${wrong} pages compute something else`);
console.log(`${process.argv.length - 2} pages compute what the program computed`);
