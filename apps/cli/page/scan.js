"use strict";
/*
 * The scans of `parscan trace --html`, for values that the reader types: scan/block/, scan/hierarchical/ and
 * apps/cli/trace_*.c once more, with their names and in their order, so that every operation has the same number.
 * The page has with it what C computed of the values it was made for, and compares; so does
 * tests/apps/cli/page.sh, with more algorithms, shapes, types and operators.
 *
 * A value is a BigInt of an integer type and a Number of a float.
 */
const IDENTITY = null, NOWHERE = -1, WARP_SIZE = 32, BLOCK_MAX_THREADS = 1024, BLOCK_MAX_BYTES = 49152;

const isNegative = (a) => a < 0 || Object.is(a, -0);

/* round(x): the nearest float with so many bits after the first; ties go to the even one. */
function floatOf(fraction, lowest, largest) {
    return (x) => {
        const size = Math.abs(x);
        if (size === 0 || !isFinite(x))
            return x;
        let exponent = Math.floor(Math.log2(size));
        while (2 ** exponent > size)
            exponent--;
        while (2 ** (exponent + 1) <= size)
            exponent++;
        const unit = 2 ** (Math.max(exponent, lowest) - fraction), units = size / unit;
        const whole = Math.floor(units), rest = units - whole;
        const rounded = (rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? whole + 1 : whole) * unit;
        return (isNegative(x) ? -1 : 1) * (rounded > largest ? Infinity : rounded);
    };
}

/* The fewest digits that are read as x again, as float_format.c writes them. */
function shortest(x, round) {
    if (Number.isNaN(x))
        return "nan";
    const sign = isNegative(x) ? "-" : "", size = Math.abs(x);
    if (size === Infinity)
        return sign + "inf";
    let count = 0, text;
    do {
        text = size.toExponential(count++);
    } while (round(Number(text)) !== size && count < 17);
    const [mantissa, exponent] = text.split("e");
    const digits = mantissa.replace(".", "").replace(/0+$/, "") || "0", point = Number(exponent) + 1;
    if (size === 0)
        return sign + "0";
    if (point > 17 || point < -3)
        return sign + digits[0] + (digits.length > 1 ? "." + digits.slice(1) : "") + "e" + (point - 1);
    if (point <= 0)
        return sign + "0." + "0".repeat(-point) + digits;
    if (point >= digits.length)
        return sign + digits.padEnd(point, "0");
    return sign + digits.slice(0, point) + "." + digits.slice(point);
}

const asItIs = (x) => x;
const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function integerType(bits, signed) {
    const half = 1n << BigInt(bits - 1);
    const low = signed ? -half : 0n, high = signed ? half - 1n : 2n * half - 1n;
    return {
        bytes: bits / 8, isInteger: true, isStored: false, low, high, zero: 0n, one: 1n, store: asItIs, print: String,
        wrap: (x) => (signed ? BigInt.asIntN(bits, x) : BigInt.asUintN(bits, x)),
        read(word) {
            if (!/^[+-]?\d+$/.test(word))
                throw new Error(FLOAT.test(word) ? `${word} is not an integer` : `'${word}' is not a number`);
            const value = BigInt(word.replace("+", ""));
            if (value < low || value > high)
                throw new Error(`${word} does not fit: the type goes from ${low} to ${high}`);
            return value;
        },
    };
}

/* wrap: to the type of sums; store: to the type of elements, which may have fewer bits. */
function floatType(bytes, wrap, store) {
    return {
        bytes, isInteger: false, isStored: wrap !== store, low: -Infinity, high: Infinity, zero: -0, one: 1, wrap, store,
        print: (x) => shortest(x, store(x) === x ? store : wrap),
        read(word) {
            const special = /^([+-]?)(inf|infinity|nan)$/i.exec(word);
            if (special !== null)
                return special[2].toLowerCase() === "nan" ? NaN : special[1] === "-" ? -Infinity : Infinity;
            if (!FLOAT.test(word))
                throw new Error(`'${word}' is not a number`);
            const value = store(Number(word));
            if (!isFinite(value))
                throw new Error(`${word} does not fit the type`);
            return value;
        },
    };
}

const types = {
    u8: integerType(8, false), i8: integerType(8, true), u16: integerType(16, false), i16: integerType(16, true),
    u32: integerType(32, false), i32: integerType(32, true), u64: integerType(64, false), i64: integerType(64, true),
    f32: floatType(4, Math.fround, Math.fround), f64: floatType(8, asItIs, asItIs),
    f16: floatType(2, Math.fround, floatOf(10, -14, 65504)),
    bf16: floatType(2, Math.fround, floatOf(7, -126, 255 * 2 ** 120)),
};

/* PARSCAN_OPS of scan/tables.h. A minimum of NaN and a number is NaN; -0 is below 0. */
const operators = {
    sum: { sign: "+", identity: (t) => t.zero, combine: (a, b) => a + b },
    product: { sign: "×", identity: (t) => t.one, combine: (a, b) => a * b },
    min: {
        sign: "min", identity: (t) => t.high,
        combine: (a, b) => (a !== a || a < b || (a === b && isNegative(a)) ? a : b),
    },
    max: {
        sign: "max", identity: (t) => t.low,
        combine: (a, b) => (a !== a || a > b || (a === b && !isNegative(a)) ? a : b),
    },
    and: { sign: "&", integers: true, identity: () => -1n, combine: (a, b) => a & b },
    or: { sign: "|", integers: true, identity: () => 0n, combine: (a, b) => a | b },
    xor: { sign: "^", integers: true, identity: () => 0n, combine: (a, b) => a ^ b },
};

const identity = (record) => record.type.wrap(record.op.identity(record.type));
