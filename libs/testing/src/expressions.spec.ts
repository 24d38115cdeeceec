import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as ts from 'typescript';
import { attacksOn, type Attack } from './attacks';
import { StepCounter } from './step-counter';

const ROOT = join(__dirname, '../../..');
/** Length of the shortest attack in characters. */
const LENGTH = 150;
/**
 * Number of doublings of an attack before continued growth counts; bounded repetitions stop growing
 * earlier.
 */
const DOUBLINGS = 7;
/** Maximum growth of steps for twice the text. Quadratic time has a factor of four. */
const RATIO_MAX = 2.5;
/** Maximum number of steps for one more character of bounded repetitions. */
const STEPS_PER_CHARACTER_MAX = 1_500;

/**
 * Returns all expressions of a file that the product may run: literals, and patterns of schemas.
 */
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

const textOf = ({ before, repeated, behind }: Attack, length: number): string =>
  before + repeated.repeat(Math.ceil(length / repeated.length)) + behind;

/**
 * Returns the attack that makes an expression take more than linear time; null if there is none.
 */
function weaknessOf(expression: RegExp): string | null {
  const counter = new StepCounter(expression);
  for (const attack of attacksOn(expression)) {
    const steps = growthOf(counter, attack);
    if (steps !== null) return `${JSON.stringify(attack)} takes ${steps.join(', ')} steps`;
  }
  return null;
}

/** Returns the steps for each doubling of an attack; null once they grow linearly. */
function growthOf(counter: StepCounter, attack: Attack): readonly number[] | null {
  const counts: number[] = [];
  for (let doubling = 0; doubling <= DOUBLINGS; doubling++) {
    const text = textOf(attack, LENGTH * 2 ** doubling);
    const limit = STEPS_PER_CHARACTER_MAX * text.length;
    const count = counter.count(text, limit);
    const before = counts.at(-1);
    counts.push(count);
    if (count >= limit) return counts;
    if (before !== undefined && count < before * RATIO_MAX) return null;
  }
  return counts;
}

describe('regular expressions of the product', () => {
  const projects = ['apps', 'libs'].flatMap((kind) =>
    readdirSync(join(ROOT, kind)).map((name): [project: string] => [`${kind}/${name}`]),
  );
  const checked = new Set<string>();

  it.each(projects)(
    'take linear time for every attack in %s',
    (project) => {
      const weak = productFiles(join(ROOT, project))
        .flatMap(expressionsOf)
        .flatMap(([expression, place]) => {
          // Expressions that several projects share are checked once.
          if (checked.has(String(expression))) return [];
          checked.add(String(expression));
          const weakness = weaknessOf(expression);
          return weakness === null ? [] : [`${place} ${String(expression)} ${weakness}`];
        });
      expect(weak).toEqual([]);
    },
    300_000,
  );

  it('are all checked by the cases above', () => {
    expect(checked.size).toBeGreaterThan(300);
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
  ])('are detected when they take more than linear time: %s', (expression) => {
    expect(weaknessOf(expression)).not.toBeNull();
  });
});
