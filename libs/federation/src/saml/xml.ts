/** An element of a document; names are resolved to namespaces. */
export interface XmlElement {
  readonly local: string;
  readonly namespace: string;
  /** Attributes by local name, without namespace declarations; those with a prefix keep it. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The joined text directly inside the element, without comments. */
  readonly text: string;
  readonly hasComment: boolean;
}

/**
 * Thrown for a document that is not well formed, or that has a construct that no identity provider
 * needs.
 */
export class XmlFault extends Error {
  override readonly name = 'XmlFault';
}

const DEPTH_MAX = 64;
const ELEMENTS_MAX = 5_000;
const ATTRIBUTES_MAX = 100;
const NAME = /(?:([A-Za-z_][A-Za-z0-9_.-]{0,199}):)?([A-Za-z_][A-Za-z0-9_.-]{0,199})/y;
const VALUE = /"([^"<]*)"|'([^'<]*)'/y;
const END_OF_START = /(\/?)>/y;
const SPACES: ReadonlySet<string | undefined> = new Set([' ', '\t', '\n', '\r']);
const DECLARATION =
  /^<\?xml\s{1,20}version\s{0,9}=\s{0,9}["']1\.0["'](?:\s{1,20}encoding\s{0,9}=\s{0,9}["']utf-8["'])?(?:\s{1,20}standalone\s{0,9}=\s{0,9}["'](?:yes|no)["'])?\s{0,20}\?>/i;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const NAMESPACES_MAX = 50;

type Scope = ReadonlyMap<string, string>;

const OUTERMOST: Scope = new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]);

interface Open {
  readonly element: { -readonly [K in keyof XmlElement]: XmlElement[K] } & { children: XmlElement[] };
  readonly tag: string;
  readonly scope: Scope;
  readonly texts: string[];
}

/**
 * Parses a small XML document: one root, no DOCTYPE, processing instructions or CDATA, and only the
 * predefined and numeric entities. Time and memory are linear in the size. Throws `XmlFault`.
 */
export function readXml(text: string): XmlElement {
  return new XmlReader(text.replace(/^\ufeff/, '')).read();
}

/** Yields the element and all its descendants in document order. */
export function* allElements(root: XmlElement): Generator<XmlElement> {
  const stack = [root];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    yield element;
    stack.push(...element.children.toReversed());
  }
}

/** Returns the direct children with that name. */
export const childrenOf = (element: XmlElement, namespace: string, local: string): readonly XmlElement[] =>
  element.children.filter((child) => child.local === local && child.namespace === namespace);

class XmlReader {
  private at = 0;
  private count = 0;
  private root: XmlElement | null = null;
  private readonly stack: Open[] = [];

  constructor(private readonly text: string) {}

  read(): XmlElement {
    this.at = DECLARATION.exec(this.text)?.[0].length ?? 0;
    while (this.at < this.text.length) {
      if (this.text[this.at] === '<') this.markup();
      else this.characters();
    }
    if (this.stack.length > 0 || this.root === null) throw new XmlFault('The document has no end.');
    return this.root;
  }

  private markup(): void {
    if (this.text.startsWith('<!--', this.at)) this.comment();
    else if (this.text.startsWith('<!', this.at))
      throw new XmlFault('DOCTYPE, entities and CDATA are not allowed.');
    else if (this.text.startsWith('<?', this.at))
      throw new XmlFault('Processing instructions are not allowed.');
    else if (this.text.startsWith('</', this.at)) this.end();
    else this.start();
  }

  private comment(): void {
    const end = this.text.indexOf('--', this.at + 4);
    if (end < 0 || this.text[end + 2] !== '>') throw new XmlFault('A comment has no end.');
    const open = this.stack.at(-1);
    if (open !== undefined) open.element.hasComment = true;
    this.at = end + 3;
  }

  private characters(): void {
    const next = this.text.indexOf('<', this.at);
    const end = next < 0 ? this.text.length : next;
    const raw = this.text.slice(this.at, end);
    const open = this.stack.at(-1);
    if (open !== undefined) open.texts.push(decoded(raw));
    else if (raw.trim() !== '') throw new XmlFault('There is text outside of the root element.');
    this.at = end;
  }

  private end(): void {
    const close = this.text.indexOf('>', this.at);
    const open = this.stack.pop();
    if (close < 0 || open === undefined || this.text.slice(this.at + 2, close).trimEnd() !== open.tag) {
      throw new XmlFault('An end tag does not fit.');
    }
    this.at = close + 1;
    this.finish(open);
  }

  private finish({ element, texts }: Open): void {
    element.text = texts.join('');
    if (this.stack.length === 0) this.root = element;
  }

  private start(): void {
    this.assertBounds();
    this.at += 1;
    const [tag, prefix = '', local = ''] = this.take(NAME) ?? fail('A tag has no name.');
    const outer = this.stack.at(-1);
    const { attributes, scope } = this.attributes(outer?.scope ?? OUTERMOST);
    const [, empty] = this.take(END_OF_START) ?? fail('A tag has no end.');
    const element: Open['element'] = {
      local,
      namespace: namespaceOf(prefix, scope),
      attributes,
      children: [],
      text: '',
      hasComment: false,
    };
    outer?.element.children.push(element);
    const open = { element, tag, scope, texts: [] };
    if (empty === '/') this.finish(open);
    else this.stack.push(open);
  }

  private assertBounds(): void {
    if (this.root !== null) throw new XmlFault('There is more than one root element.');
    this.count += 1;
    if (this.count > ELEMENTS_MAX)
      throw new XmlFault(`There are more than ${String(ELEMENTS_MAX)} elements.`);
    if (this.stack.length >= DEPTH_MAX)
      throw new XmlFault(`Elements are nested deeper than ${String(DEPTH_MAX)}.`);
  }

  private attributes(outer: Scope): { readonly attributes: Map<string, string>; readonly scope: Scope } {
    const attributes = new Map<string, string>();
    const declared = new Map<string, string>();
    while (this.skipSpaces()) {
      const named = this.take(NAME);
      if (named === null) break;
      const { name, value, declares } = attributeOf(named, this.value());
      const into = declares === null ? attributes : declared;
      if (into.has(declares ?? name)) throw new XmlFault('An attribute is there twice.');
      into.set(declares ?? name, value);
      if (attributes.size + declared.size > ATTRIBUTES_MAX) fail('An element has too many attributes.');
    }
    const scope = declared.size === 0 ? outer : new Map([...outer, ...declared]);
    if (scope.size > NAMESPACES_MAX) throw new XmlFault('There are too many namespaces.');
    for (const name of attributes.keys()) {
      const colon = name.indexOf(':');
      if (colon > 0) namespaceOf(name.slice(0, colon), scope);
    }
    return { attributes, scope };
  }

  /** Parses the equals sign and the value of an attribute. */
  private value(): string {
    this.skipSpaces();
    if (this.text[this.at] !== '=') fail('An attribute has no value.');
    this.at += 1;
    this.skipSpaces();
    const [, double, single = ''] = this.take(VALUE) ?? fail('The value of an attribute has no quotes.');
    return double ?? single;
  }

  /** Skips whitespace. Returns whether there was any, which an attribute needs before it. */
  private skipSpaces(): boolean {
    const from = this.at;
    while (SPACES.has(this.text[this.at])) this.at += 1;
    return this.at > from;
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }
}

/**
 * Reads an attribute. `declares`: the prefix for which it declares a namespace; null for other
 * attributes.
 */
function attributeOf(
  [, prefix, local = '']: RegExpExecArray,
  text: string,
): {
  readonly name: string;
  readonly value: string;
  readonly declares: string | null;
} {
  const value = decoded(text.replace(/[\t\n\r]/g, ' '));
  if (prefix === 'xmlns') return { name: local, value, declares: local };
  if (prefix === undefined) return { name: local, value, declares: local === 'xmlns' ? '' : null };
  return { name: `${prefix}:${local}`, value, declares: null };
}

function namespaceOf(prefix: string, scope: Scope): string {
  const namespace = scope.get(prefix);
  if (namespace === undefined && prefix !== '') throw new XmlFault('A prefix has no namespace.');
  return namespace ?? '';
}

function decoded(raw: string): string {
  if (!raw.includes('&')) return raw;
  return raw.replace(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]{1,4}));|&/g,
    (_, decimal?: string, hex?: string, name?: string) => {
      const code =
        decimal === undefined ? (hex === undefined ? -1 : Number.parseInt(hex, 16)) : Number(decimal);
      if (code > 0 && code <= 0x10_ff_ff) return String.fromCodePoint(code);
      return NAMED[name ?? ''] ?? fail('An entity is not known.');
    },
  );
}

function fail(message: string): never {
  throw new XmlFault(message);
}
