import { TEMPLATE_LIMITS } from './bounds';
import { promptInvalid } from './prompt-invalid';

/** `slug`, `slug@3` or `slug@latest`. */
export type PartialReference = string;

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: readonly string[] }
  | {
      readonly kind: 'section';
      readonly path: readonly string[];
      readonly inverted: boolean;
      readonly children: readonly TemplateNode[];
    }
  /** A saved partial. */
  | { readonly kind: 'partial'; readonly reference: PartialReference }
  /** A partial that the caller sends with the variables. */
  | { readonly kind: 'private'; readonly name: string };

export interface Template {
  readonly nodes: readonly TemplateNode[];
}

type Section = Extract<TemplateNode, { kind: 'section' }>;

interface OpenSection {
  readonly name: string;
  readonly children: TemplateNode[];
}

/**
 * Own member names, segment by segment: no expressions, no calls, and no access to anything but the
 * given variables.
 */
const NAME = /^[\p{L}\p{N}_$@-]+(?:\.[\p{L}\p{N}_$@-]+)*$/u;
/** An id or slug, with an optional version. */
const PARTIAL = /^[A-Za-z0-9_-]{1,255}(?:@(?:[1-9]\d{0,8}|latest))?$/;

/**
 * Parses the supported part of Mustache: values, sections, inverted sections, comments, saved
 * partials (`{{>slug@2}}`) and private ones (`{{>>name}}`).
 * Takes linear time. `}}` without an opening tag is text. Throws `prompt_invalid`.
 */
export function parseTemplate(text: string): Template {
  if (text.length > TEMPLATE_LIMITS.length)
    throw promptInvalid(`A template has at most ${String(TEMPLATE_LIMITS.length)} characters.`);
  return new Parser(text).parse();
}

class Parser {
  private readonly root: TemplateNode[] = [];
  private readonly open: OpenSection[] = [];
  private at = 0;
  private tags = 0;

  constructor(private readonly text: string) {}

  parse(): Template {
    const { text } = this;
    while (this.at < text.length) {
      const start = text.indexOf('{{', this.at);
      if (start === -1) {
        this.addText(this.at, text.length);
        break;
      }
      this.tag(start);
    }
    const last = this.open.at(-1);
    if (last) throw promptInvalid(`The section ${last.name} is not closed; add {{/${last.name}}}.`);
    return { nodes: this.root };
  }

  private tag(start: number): void {
    this.tags += 1;
    if (this.tags > TEMPLATE_LIMITS.tags)
      throw promptInvalid(`A template has at most ${String(TEMPLATE_LIMITS.tags)} tags.`);
    const { text } = this;
    const isTriple = text.charAt(start + 2) === '{';
    const close = isTriple ? '}}}' : '}}';
    const from = start + (isTriple ? 3 : 2);
    const end = text.indexOf(close, from);
    if (end === -1) throw promptInvalid(`The tag at character ${String(start)} is not closed.`);
    const after = end + close.length;
    const sigil = isTriple ? '&' : text.charAt(from);
    const isBlock = sigil !== '' && '#^/!>'.includes(sigil);
    const [cutFrom, cutTo] = isBlock ? this.aloneOnLine(start, after) : [start, after];
    this.addText(this.at, cutFrom);
    this.at = cutTo;
    if (sigil === '!') return;
    if (end - from > TEMPLATE_LIMITS.tagLength)
      throw promptInvalid(`The tag at character ${String(start)} is too long.`);
    this.add(sigil, text.slice(from, end), start);
  }

  private add(sigil: string, inner: string, start: number): void {
    switch (sigil) {
      case '#':
      case '^':
        this.openSection(nameIn(inner.slice(1), start), sigil === '^');
        return;
      case '/':
        this.closeSection(nameIn(inner.slice(1), start));
        return;
      case '>':
        this.addPartial(inner.slice(1), start);
        return;
      case '&':
        this.children.push({ kind: 'value', path: pathOf(nameIn(inner.replace(/^&/, ''), start)) });
        return;
      default:
        this.children.push({ kind: 'value', path: pathOf(nameIn(inner, start)) });
    }
  }

  private get children(): TemplateNode[] {
    return this.open.at(-1)?.children ?? this.root;
  }

  private openSection(name: string, inverted: boolean): void {
    if (this.open.length >= TEMPLATE_LIMITS.depth)
      throw promptInvalid(`Sections go at most ${String(TEMPLATE_LIMITS.depth)} levels deep.`);
    const children: TemplateNode[] = [];
    const section: Section = { kind: 'section', path: pathOf(name), inverted, children };
    this.children.push(section);
    this.open.push({ name, children });
  }

  private closeSection(name: string): void {
    const last = this.open.pop();
    if (last?.name !== name) throw promptInvalid(`{{/${name}}} does not close the innermost open section.`);
  }

  private addPartial(inner: string, start: number): void {
    if (inner.startsWith('>')) {
      this.children.push({ kind: 'private', name: nameIn(inner.slice(1), start) });
      return;
    }
    const reference = inner.trim();
    if (!PARTIAL.test(reference))
      throw promptInvalid(`The tag at character ${String(start)} does not name a partial.`);
    this.children.push({ kind: 'partial', reference });
  }

  private addText(from: number, to: number): void {
    if (to > from) this.children.push({ kind: 'text', text: this.text.slice(from, to) });
  }

  /**
   * Returns the range that a tag without output removes: the whole line when the tag is alone on
   * it, as Mustache specifies.
   */
  private aloneOnLine(start: number, end: number): [number, number] {
    const { text } = this;
    let from = start;
    while (from > this.at && isBlank(text.charCodeAt(from - 1))) from -= 1;
    const startsLine = from === 0 || (text.charAt(from - 1) === '\n' && from >= this.at);
    if (!startsLine) return [start, end];
    let to = end;
    while (to < text.length && isBlank(text.charCodeAt(to))) to += 1;
    if (to === text.length) return [from, to];
    if (text.charAt(to) === '\n') return [from, to + 1];
    return text.startsWith('\r\n', to) ? [from, to + 2] : [start, end];
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

function nameIn(inner: string, start: number): string {
  const name = inner.trim();
  if (name === '.' || NAME.test(name)) return name;
  throw promptInvalid(
    `The tag at character ${String(start)} does not name a variable; use letters, digits, _ - $ @, and dots between them.`,
  );
}

/** An empty path is the current value of the section. */
const pathOf = (name: string): readonly string[] => (name === '.' ? [] : name.split('.'));
