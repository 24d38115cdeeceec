import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as ts from 'typescript';
import { attacksOn, type Attack } from './attacks';
import { StepCounter } from './step-counter';

const ROOT = join(__dirname, '../../..');
/** Characters of the shortest attacks. */
const LENGTH = 150;
/** How often an attack is doubled before a growth that stays is believed: a bounded repetition ends before. */
const DOUBLINGS = 7;
/** Twice the text takes at most this many times the steps. A square takes four times. */
const RATIO_MAX = 2.5;
/** Steps for one more character: what bounded repetitions may cost at most. */
const STEPS_PER_CHARACTER_MAX = 1_500;

/** Every expression of ours that a process of the product may run: literals, and patterns of schemas. */
function expressionsOf(file: string): readonly (readonly [RegExp, string])[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: (readonly [RegExp, string])[] = [];
  const visit = (node: ts.Node): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const place = `${relative(ROOT, file)}:${String(line)}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push([new RegExp(node.text.slice(1, end), node.text.slice(end + 1)), place]);
    } else if (isPattern(node)) {
      found.push([new RegExp(node.initializer.text, 'u'), place]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const isPattern = (
  node: ts.Node,
): node is ts.PropertyAssignment & { readonly initializer: ts.StringLiteralLike } =>
  ts.isPropertyAssignment(node) &&
  node.name.getText() === 'pattern' &&
  ts.isStringLiteralLike(node.initializer);

function productFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('spec.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !/\/(?:node_modules|dist|spec-support|testing|cli)\//.test(file));
}

const written = ({ before, repeated, behind }: Attack, length: number): string =>
  before + repeated.repeat(Math.ceil(length / repeated.length)) + behind;

/** What is wrong with an expression, with the attack that shows it. Null: no attack makes it take more than linear time. */
function weaknessOf(expression: RegExp): string | null {
  const counter = new StepCounter(expression);
  for (const attack of attacksOn(expression)) {
    const steps = growthOf(counter, attack);
    if (steps !== null) return `${JSON.stringify(attack)} takes ${steps.join(', ')} steps`;
  }
  return null;
}

/** The steps for each doubling of an attack, or null once they only double, too. */
function growthOf(counter: StepCounter, attack: Attack): readonly number[] | null {
  const counts: number[] = [];
  for (let doubling = 0; doubling <= DOUBLINGS; doubling++) {
    const text = written(attack, LENGTH * 2 ** doubling);
    const limit = STEPS_PER_CHARACTER_MAX * text.length;
    const count = counter.count(text, limit);
    const before = counts.at(-1);
    counts.push(count);
    if (count >= limit) return counts;
    if (before !== undefined && count < before * RATIO_MAX) return null;
  }
  return counts;
}

describe('expressions of the product', () => {
  const projects = ['apps', 'libs'].flatMap((kind) =>
    readdirSync(join(ROOT, kind)).map((name): [project: string] => [`${kind}/${name}`]),
  );
  const seen = new Set<string>();

  it.each(projects)(
    'take steps in proportion to the text, whatever is repeated of what they look for, in %s',
    (project) => {
      const weak = productFiles(join(ROOT, project))
        .flatMap(expressionsOf)
        .flatMap(([expression, place]) => {
          // What several projects have is looked at once.
          if (seen.has(String(expression))) return [];
          seen.add(String(expression));
          const weakness = weaknessOf(expression);
          return weakness === null ? [] : [`${place} ${String(expression)} ${weakness}`];
        });
      expect(weak).toEqual([]);
    },
    300_000,
  );

  it('are many, all of which the cases above have looked at', () => {
    expect(seen.size).toBeGreaterThan(300);
  });

  it.each([
    [/\beyJ[\w-]{8,}\.[\w-]+\./],
    [/^(a+)+$/],
    [/a+b/],
    [/\/+$/],
    [/^\s*(\w+\s*)*$/],
    [/\s*\S+\s*$|\s*\S+/g],
    [/^https?:\/\/[^/?#]*(.*)$/],
    [/^-+|-+$/g],
    [/#.*$/],
    [/^[^\s<>]+@[^\s<>]+$/],
    [/(?:ignora|olvida)\w*[^.!?]{0,30}(?:orden|regla)/],
  ])('are found out when they do not: %s', (expression) => {
    expect(weaknessOf(expression)).not.toBeNull();
  });
});
