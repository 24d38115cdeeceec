import { RegExpParser, type AST } from '@eslint-community/regexpp';

/** State of a matcher: the next instruction and character, and the saved positions. */
interface State {
  next: number;
  at: number;
  slots: readonly (number | undefined)[];
}

/**
 * One instruction of a backtracking matcher, like in JavaScript engines. Returns false if this path
 * does not match.
 */
type Instruction = (state: State, text: string, open: State[]) => boolean;
type Program = Instruction[];

const EXPANSION_MAX = 20_000;
const OVER = -1;

const end: Instruction = (state) => {
  state.next = OVER;
  return true;
};
const go =
  (to: number): Instruction =>
  (state) => {
    state.next = to;
    return true;
  };
const either =
  (first: number, second: number): Instruction =>
  (state, _, open) => {
    open.push({ ...state, next: second });
    state.next = first;
    return true;
  };
const character =
  (fits: (char: string) => boolean, step: 1 | -1): Instruction =>
  (state, text) => {
    const char = text[step === 1 ? state.at : state.at - 1];
    state.at += step;
    return char !== undefined && fits(char);
  };
const save =
  (slot: number): Instruction =>
  (state) => {
    const slots = [...state.slots];
    slots[slot] = state.at;
    state.slots = slots;
    return true;
  };
const moved =
  (slot: number): Instruction =>
  (state) =>
    state.slots[slot] !== state.at;

/**
 * Counts the steps of a backtracking engine for an expression, without engine-specific shortcuts,
 * so that the number is the same on every machine and under every load.
 */
export class StepCounter {
  private readonly program: Program = [];
  private readonly slots = new Map<AST.Node | string, number>();
  private steps = 0;
  private stepsMax = 0;

  constructor(private readonly expression: RegExp) {
    const { pattern } = new RegExpParser().parseLiteral(String(expression));
    this.alternatives(pattern.alternatives, this.program, 1);
    this.program.push(end);
  }

  /** Returns the number of steps to find every match in the text, at most `stepsMax`. */
  count(text: string, stepsMax: number): number {
    this.steps = 0;
    this.stepsMax = stepsMax;
    const isGlobal = this.expression.global;
    for (let start = 0; start <= text.length && this.steps < stepsMax;) {
      const end = this.run(this.program, text, start, [])?.at;
      if (end !== undefined && !isGlobal) break;
      start = Math.max(start + 1, end ?? 0);
    }
    return this.steps;
  }

  private run(program: Program, text: string, start: number, slots: State['slots']): State | null {
    const open: State[] = [{ next: 0, at: start, slots }];
    for (let state = open.pop(); state; state = open.pop()) {
      for (let alive = true; alive;) {
        this.steps += 1;
        if (this.steps > this.stepsMax) return null;
        alive = program[state.next++]?.(state, text, open) === true;
        if (state.next === OVER) return state;
      }
    }
    return null;
  }

  private alternatives(alternatives: readonly AST.Alternative[], to: Program, step: 1 | -1): void {
    const ends: number[] = [];
    alternatives.forEach(({ elements }, index) => {
      const isLast = index === alternatives.length - 1;
      const fork = to.length;
      if (!isLast) to.push(end);
      for (const element of step === 1 ? elements : [...elements].reverse()) this.element(element, to, step);
      if (isLast) return;
      ends.push(to.length);
      to.push(end);
      to[fork] = either(fork + 1, to.length);
    });
    for (const at of ends) to[at] = go(to.length);
  }

  private element(element: AST.Element | AST.QuantifiableElement, to: Program, step: 1 | -1): void {
    if (to.length > EXPANSION_MAX) throw new RangeError(`${String(this.expression)} is too large to count.`);
    if (element.type === 'Group') this.alternatives(element.alternatives, to, step);
    else if (element.type === 'CapturingGroup') this.group(element, to, step);
    else if (element.type === 'Backreference') to.push(this.again(element, step));
    else if (element.type === 'Quantifier') this.quantifier(element, to, step);
    else if (element.type === 'Assertion') to.push(this.assertion(element));
    else to.push(character(this.fits(element.raw), step));
  }

  private group(element: AST.CapturingGroup, to: Program, step: 1 | -1): void {
    const slot = 2 * this.slotOf(element);
    to.push(save(step === 1 ? slot : slot + 1));
    this.alternatives(element.alternatives, to, step);
    to.push(save(step === 1 ? slot + 1 : slot));
  }

  private again({ resolved }: AST.Backreference, step: 1 | -1): Instruction {
    const slot = 2 * this.slotOf(Array.isArray(resolved) ? (resolved[0] as AST.CapturingGroup) : resolved);
    return (state, text) => {
      const [from, to] = [state.slots[slot], state.slots[slot + 1]];
      const group = from === undefined || to === undefined ? '' : text.slice(from, to);
      const begin = step === 1 ? state.at : state.at - group.length;
      this.steps += group.length;
      state.at += step * group.length;
      return text.startsWith(group, begin);
    };
  }

  private quantifier({ min, max, greedy, element }: AST.Quantifier, to: Program, step: 1 | -1): void {
    for (let count = 0; count < min; count++) this.element(element, to, step);
    const fork = (at: number, skip: number): Instruction =>
      greedy ? either(at + 1, skip) : either(skip, at + 1);
    if (max === Infinity) {
      const slot = 2 * this.slotOf(`loop at ${String(element.start)}`);
      const at = to.length;
      to.push(end, save(slot));
      this.element(element, to, step);
      to.push(moved(slot), go(at));
      to[at] = fork(at, to.length);
      return;
    }
    const forks: number[] = [];
    for (let count = min; count < max; count++) {
      forks.push(to.length);
      to.push(end);
      this.element(element, to, step);
    }
    for (const at of forks) to[at] = fork(at, to.length);
  }

  private assertion(assertion: AST.Assertion): Instruction {
    if (assertion.kind !== 'lookahead' && assertion.kind !== 'lookbehind') return this.place(assertion.raw);
    const program: Program = [];
    this.alternatives(assertion.alternatives, program, assertion.kind === 'lookahead' ? 1 : -1);
    program.push(end);
    return (state, text) => {
      const found = this.run(program, text, state.at, state.slots);
      if (found && !assertion.negate) state.slots = found.slots;
      return (found === null) === assertion.negate;
    };
  }

  private place(raw: string): Instruction {
    const sticky = new RegExp(raw, `${this.expression.flags.replaceAll(/[gy]/g, '')}y`);
    return ({ at }, text) => {
      sticky.lastIndex = at;
      return sticky.test(text);
    };
  }

  private fits(raw: string): (char: string) => boolean {
    const one = new RegExp(`^(?:${raw})$`, this.expression.flags.replaceAll(/[gy]/g, ''));
    const cache = new Map<string, boolean>();
    return (char) => {
      const matches = cache.get(char) ?? one.test(char);
      cache.set(char, matches);
      return matches;
    };
  }

  private slotOf(node: AST.Node | string): number {
    const slot = this.slots.get(node) ?? this.slots.size;
    this.slots.set(node, slot);
    return slot;
  }
}
