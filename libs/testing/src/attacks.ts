import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';

/** One character of each class that expressions for credentials, addresses and prose use. */
const PALETTE = [...'a-0 _.:/@x"Z\\\n,=+({[<é|!'];
/** Number of samples of an expression and of each part, because a part may match different texts. */
const SAMPLES = 6;
/** Quantifiers with a smaller maximum hardly slow an expression down. */
const REPETITIONS_MIN = 4;
/** Suffixes after the repeated text: none, and characters that most expressions do not match. */
const ENDS = ['', '\u0000', '/\n\u0000'];

/** Parts of a text that slows an expression down: a prefix, a repeated text and a suffix. */
export interface Attack {
  readonly before: string;
  readonly repeated: string;
  readonly behind: string;
}

/** Builds attacks from the parts of the expression itself; the result is deterministic. */
export function attacksOn(expression: RegExp): readonly Attack[] {
  const { pattern } = new RegExpParser().parseLiteral(String(expression));
  const quantifiers: AST.Quantifier[] = [];
  visitRegExpAST(pattern, {
    onQuantifierEnter: (quantifier) => {
      if (quantifier.max >= REPETITIONS_MIN) quantifiers.push(quantifier);
    },
  });
  const attacks = new Map<string, Attack>();
  const add = (before: string, repeated: string): void => {
    if (repeated === '') return;
    for (const behind of ENDS)
      attacks.set(JSON.stringify([before, repeated, behind]), { before, repeated, behind });
  };
  for (let seed = 1; seed <= SAMPLES; seed++) {
    const sample = new Sampler(expression, seed);
    add('', sample.of(pattern.alternatives));
    for (const quantifier of quantifiers) {
      const before = sample.before(pattern.alternatives, quantifier) ?? '';
      const body = sample.ofElement(quantifier.element);
      add(before, body);
      add('x', body);
      add('', before + body);
      add('', `${before}${body}-`);
      add('', body + before);
    }
  }
  return [...attacks.values()];
}

/** Generates texts that parts of an expression match, ignoring the rest of the expression. */
class Sampler {
  constructor(
    private readonly expression: RegExp,
    private state: number,
  ) {}

  of(alternatives: readonly AST.Alternative[]): string {
    const alternative = alternatives[this.random(alternatives.length)];
    return (alternative?.elements ?? []).map((element) => this.ofElement(element)).join('');
  }

  ofElement(element: AST.Element): string {
    switch (element.type) {
      case 'Character':
        return String.fromCodePoint(element.value);
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.member(element.raw);
      case 'Group':
      case 'CapturingGroup':
        return this.of(element.alternatives);
      case 'Quantifier': {
        const times = element.min + this.random(Math.min(3, element.max - element.min) + 1);
        return Array.from({ length: times }, () => this.ofElement(element.element)).join('');
      }
      case 'Assertion':
      case 'Backreference':
        return '';
    }
  }

  /**
   * Returns the text that a match needs before the quantifier; null if the quantifier is in none of
   * the alternatives.
   */
  before(alternatives: readonly AST.Alternative[], target: AST.Quantifier): string | null {
    for (const { elements } of alternatives) {
      let text = '';
      for (const element of elements) {
        if (element.start <= target.start && target.end <= element.end) {
          return text + (this.within(element, target) ?? '');
        }
        text += this.ofElement(element);
      }
    }
    return null;
  }

  private within(element: AST.Element, target: AST.Quantifier): string | null {
    if (element === target) return '';
    if (element.type === 'Quantifier') return this.within(element.element, target);
    return 'alternatives' in element ? this.before(element.alternatives, target) : null;
  }

  private member(raw: string): string {
    const matcher = new RegExp(`^(?:${raw})$`, this.expression.flags.replaceAll(/[gy]/g, ''));
    const matching = PALETTE.filter((char) => matcher.test(char));
    if (matching.length > 0) return matching[this.random(matching.length)] as string;
    for (let code = 0; code < 0x3000; code++) {
      const char = String.fromCharCode(code);
      if (matcher.test(char)) return char;
    }
    return '';
  }

  private random(below: number): number {
    this.state = (Math.imul(this.state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (this.state >> 8) % below;
  }
}
