/** One instruction of a compiled pattern, in re2js's representation. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: ArrayLike<number>;
  matchRune(rune: number): boolean;
}

/** A compiled pattern, in re2js's representation. */
export interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

/** Kinds of instructions of re2js. A pattern with any other kind cannot be followed. */
const [ALT, ALT_MATCH, CAPTURE, EMPTY_WIDTH, FAIL, MATCH, NOP] = [1, 2, 3, 4, 5, 6, 7];
const [RUNE, RUNE1, RUNE_ANY, RUNE_ANY_NOT_NL] = [8, 9, 10, 11];
const KINDS: ReadonlySet<number> = new Set([
  ...[ALT, ALT_MATCH, CAPTURE, EMPTY_WIDTH, FAIL, MATCH, NOP],
  ...[RUNE, RUNE1, RUNE_ANY, RUNE_ANY_NOT_NL],
]);
const NEWLINE = 10;

/** Returns whether `MatchFollower` supports the pattern. */
export const isFollowable = ({ inst }: Program): boolean => inst.every(({ op }) => KINDS.has(op));

/** Returns the instructions that consume the first character of a match. */
export const firstOf = (program: Program): readonly number[] =>
  reached(program, program.start, new Set()).waiting;

/** An instruction that consumes the next character, and the start of its match. */
interface Thread {
  readonly at: number;
  readonly start: number;
}

/**
 * Follows a text that arrives in pieces, and reports the position from which on a match can still
 * begin, end or change. It assumes that conditions on a position (`^`, `\b`) hold, so that position
 * may be too early, never too late. Time is linear in the text: per character at most the number of
 * instructions of the pattern, usually a few.
 */
export class MatchFollower {
  /** Number of UTF-16 units processed so far. */
  private position = 0;
  /** Ordered by start. */
  private live: readonly Thread[] = [];
  /**
   * Start of a match that ends at `position`, which the next character may extend; null for none.
   */
  private foundFrom: number | null = null;
  private lastEnd = 0;
  /** The first half of a surrogate pair whose second half has not arrived. */
  private pendingSurrogate = '';

  constructor(
    private readonly program: Program,
    private readonly first: readonly number[],
  ) {}

  push(piece: string): void {
    const text = this.pendingSurrogate + piece;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.pendingSurrogate = isHalf ? text.slice(-1) : '';
    for (const char of isHalf ? text.slice(0, -1) : text) this.step(char.codePointAt(0) ?? 0, char.length);
  }

  /** Position from which on a match can still begin, end or change with further text. */
  get openFrom(): number {
    const started = this.live[0]?.start ?? this.position;
    return Math.min(started, this.foundFrom ?? started);
  }

  /** End of the last match found so far; 0 when there is none. */
  get endsBy(): number {
    return this.lastEnd;
  }

  private step(rune: number, width: number): void {
    const { program, live, first, position } = this;
    // If two matches reach one instruction, the one with the earlier start wins.
    const seen = new Set<number>();
    const next: Thread[] = [];
    this.foundFrom = null;
    this.position = position + width;
    const advance = (at: number, start: number): void => {
      const instruction = program.inst[at];
      if (instruction === undefined || !consumes(instruction, rune)) return;
      const { waiting, isFound } = reached(program, instruction.out, seen);
      for (const each of waiting) next.push({ at: each, start });
      if (!isFound) return;
      this.foundFrom ??= start;
      this.lastEnd = this.position;
    };
    for (const { at, start } of live) advance(at, start);
    for (const at of first) advance(at, position);
    this.live = next;
  }
}

function consumes(instruction: Instruction, rune: number): boolean {
  switch (instruction.op) {
    case RUNE1:
      return rune === instruction.runes[0];
    case RUNE_ANY:
      return true;
    case RUNE_ANY_NOT_NL:
      return rune !== NEWLINE;
    default:
      return instruction.matchRune(rune);
  }
}

/**
 * Follows the instructions that consume no character, except those in `seen`. Returns those that
 * consume the next one, and whether the pattern has matched.
 */
function reached(
  { inst }: Program,
  from: number,
  seen: Set<number>,
): { readonly waiting: readonly number[]; readonly isFound: boolean } {
  const waiting: number[] = [];
  const open = [from];
  let isFound = false;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const instruction = inst[at];
    if (instruction === undefined || seen.has(at)) continue;
    seen.add(at);
    const { op, out, arg } = instruction;
    if (op === MATCH) isFound = true;
    else if (op === ALT || op === ALT_MATCH) open.push(arg, out);
    else if (op === CAPTURE || op === EMPTY_WIDTH || op === NOP) open.push(out);
    else if (op !== FAIL) waiting.push(at);
  }
  return { waiting, isFound };
}
