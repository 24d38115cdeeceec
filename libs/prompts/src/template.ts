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
  /** A partial that comes with the variables. */
  | { readonly kind: 'private'; readonly name: string };

export interface Template {
  readonly nodes: readonly TemplateNode[];
}

type Section = Extract<TemplateNode, { kind: 'section' }>;

interface OpenSection {
  readonly name: string;
  readonly children: TemplateNode[];
}

/** Own names only, segment by segment: no expression, no call, no index into anything but the given variables. */
const NAME = /^[\p{L}\p{N}_$@-]+(?:\.[\p{L}\p{N}_$@-]+)*$/u;
/** Ids and slugs, and a version of it. */
const PARTIAL = /^[A-Za-z0-9_-]{1,255}(?:@(?:[1-9]\d{0,8}|latest))?$/;

/**
 * Reads the part of Mustache that prompts have: values, sections, inverted sections, comments, saved partials (`{{>slug@2}}`)
 * and private ones (`{{>>name}}`). Takes time in proportion to the text. `}}` without an opening is text. Throws
 * `prompt_invalid`.
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
    if (last) throw promptInvalid(`The section ${last.name} is not closed.`);
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
    if (last?.name !== name) throw promptInvalid(`{{/${name}}} closes no section that is open there.`);
  }

  private addPartial(inner: string, start: number): void {
    if (inner.startsWith('>')) {
      this.children.push({ kind: 'private', name: nameIn(inner.slice(1), start) });
      return;
    }
    const reference = inner.trim();
    if (!PARTIAL.test(reference))
      throw promptInvalid(`The tag at character ${String(start)} names no partial.`);
    this.children.push({ kind: 'partial', reference });
  }

  private addText(from: number, to: number): void {
    if (to > from) this.children.push({ kind: 'text', text: this.text.slice(from, to) });
  }

  /** A tag of no output that has its line to itself takes the line with it, as Mustache says. */
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
    `The tag at character ${String(start)} names no variable: letters, digits, _ - $ @, and dots between them.`,
  );
}

/** Empty: the current value of the section. */
const pathOf = (name: string): readonly string[] => (name === '.' ? [] : name.split('.'));
