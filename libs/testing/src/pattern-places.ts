/** Takes twice the steps for each further `a` on an engine that backtracks. */
export const CATASTROPHIC = '^(a+)+$';
/** As it is, and as `regexMatch` takes it, too. */
const PATTERNS = [CATASTROPHIC, `/${CATASTROPHIC}/i`];
/** Members by which data is often taken for a pattern. */
const NAMES = ['pattern', 'patternProperties', '$regex', 'rule', 'regex', 'match', 'value'];

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Changes a value at its place in a document, and gives the document. */
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
 * The document once for each place in it that could hold a pattern, with a catastrophic one there: every value that is no object and no
 * list. `isDeep`: also between slashes, and in members that its objects do not have yet.
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

/** Those expressions, of `expressionsMadeBy`, that were made of a pattern of `withPatterns`. */
export const madeOfPatterns = (sources: readonly string[]): readonly string[] =>
  sources.filter((source) => source.includes('(a+)+'));
