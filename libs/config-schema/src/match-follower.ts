/** One instruction of a compiled pattern, as re2js has it. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: ArrayLike<number>;
  matchRune(rune: number): boolean;
}

/** A compiled pattern, as re2js has it. */
export interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

/** Kinds of instructions in re2js; a pattern with any other is not followed. */
const [ALT, ALT_MATCH, CAPTURE, EMPTY_WIDTH, FAIL, MATCH, NOP] = [1, 2, 3, 4, 5, 6, 7];
const [RUNE, RUNE1, RUNE_ANY, RUNE_ANY_NOT_NL] = [8, 9, 10, 11];
const KINDS: ReadonlySet<number> = new Set([
  ...[ALT, ALT_MATCH, CAPTURE, EMPTY_WIDTH, FAIL, MATCH, NOP],
  ...[RUNE, RUNE1, RUNE_ANY, RUNE_ANY_NOT_NL],
]);
const NEWLINE = 10;

export const isFollowable = ({ inst }: Program): boolean => inst.every(({ op }) => KINDS.has(op));

/** Instructions that wait for the first character of a match. */
export const firstOf = (program: Program): readonly number[] =>
  reached(program, program.start, new Set()).waiting;

/** An instruction that waits for the next character, and where its match began. */
interface Thread {
  readonly at: number;
  readonly start: number;
}

/**
 * Follows a text as it comes in, and knows from where on a match of the pattern may still begin, end or change. Conditions on a
 * place (`^`, `\b`) are taken to hold, so it holds too much rather than too little. Time is linear in the text: for each character at
 * most the instructions of the pattern, mostly a few.
 */
export class MatchFollower {
  /** UTF-16 units that have come and been looked at. */
  private position = 0;
  /** Earlier beginnings first. */
  private live: readonly Thread[] = [];
  /** Beginning of a match that ends here, and may change with the next character. */
  private foundFrom: number | null = null;
  private lastEnd = 0;
  /** Half of a character whose other half is still to come. */
  private half = '';

  constructor(
    private readonly program: Program,
    private readonly first: readonly number[],
  ) {}

  push(piece: string): void {
    const text = this.half + piece;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.half = isHalf ? text.slice(-1) : '';
    for (const char of isHalf ? text.slice(0, -1) : text) this.step(char.codePointAt(0) ?? 0, char.length);
  }

  get openFrom(): number {
    const started = this.live[0]?.start ?? this.position;
    return Math.min(started, this.foundFrom ?? started);
  }

  get endsBy(): number {
    return this.lastEnd;
  }

  private step(rune: number, width: number): void {
    const { program, live, first, position } = this;
    // Of two ways to one instruction the earlier beginning stays, which comes first.
    const seen = new Set<number>();
    const next: Thread[] = [];
    this.foundFrom = null;
    this.position = position + width;
    const go = (at: number, start: number): void => {
      const instruction = program.inst[at];
      if (instruction === undefined || !takes(instruction, rune)) return;
      const { waiting, isFound } = reached(program, instruction.out, seen);
      for (const each of waiting) next.push({ at: each, start });
      if (!isFound) return;
      this.foundFrom ??= start;
      this.lastEnd = this.position;
    };
    for (const { at, start } of live) go(at, start);
    for (const at of first) go(at, position);
    this.live = next;
  }
}

function takes(instruction: Instruction, rune: number): boolean {
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

/** What is reached without a further character, but for what has been `seen`: what waits for one, and whether the pattern is found. */
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
