/** A pattern that needs twice the steps for each additional `a` on a backtracking engine. */
export const CATASTROPHIC = '^(a+)+$';
/** The pattern, and its form that `regexMatch` accepts. */
const PATTERNS = [CATASTROPHIC, `/${CATASTROPHIC}/i`];
/** Member names whose data is often used as a pattern. */
const NAMES = ['pattern', 'patternProperties', '$regex', 'rule', 'regex', 'match', 'value'];

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Replaces a value at its path in a document, and returns the document. */
type Change = (next: unknown) => object;

function visitPlaces(node: object, change: Change, add: (variant: object) => void, isDeep: boolean): void {
  const withMember = (name: string, value: unknown): object =>
    Array.isArray(node)
      ? change(node.map((item: unknown, at) => (String(at) === name ? value : item)))
      : change({ ...node, [name]: value });
  for (const [name, value] of Object.entries(node) as [string, unknown][]) {
    if (isNode(value)) visitPlaces(value, (next) => withMember(name, next), add, isDeep);
    else for (const pattern of isDeep ? PATTERNS : [CATASTROPHIC]) add(withMember(name, pattern));
  }
  if (!isDeep || Array.isArray(node)) return;
  for (const name of NAMES) add(withMember(name, CATASTROPHIC));
  add(withMember('patternProperties', { [CATASTROPHIC]: {} }));
}

/**
 * Returns one copy of the document for each place that could contain a pattern, with a catastrophic
 * pattern there: every value that is neither object nor list. `isDeep` also tries it between
 * slashes, and in members that the objects do not have.
 */
export function withPatterns(document: object, { isDeep }: { readonly isDeep: boolean }): readonly object[] {
  const variants: object[] = [];
  visitPlaces(
    document,
    (next) => next as object,
    (variant) => variants.push(variant),
    isDeep,
  );
  return variants;
}

/**
 * Returns those expressions of `expressionsMadeBy` that were built from a pattern of
 * `withPatterns`.
 */
export const madeOfPatterns = (sources: readonly string[]): readonly string[] =>
  sources.filter((source) => source.includes('(a+)+'));
