import { TEMPLATE_LIMITS } from './bounds';
import { promptInvalid } from './prompt-invalid';
import { parseTemplate, type PartialReference, type Template, type TemplateNode } from './template';

export interface RenderInput {
  readonly variables: Readonly<Record<string, unknown>>;
  /** Returns a saved partial; undefined when there is none. */
  readonly partial: (reference: PartialReference) => Template | undefined;
  /** Maximum characters of all rendered texts together. */
  readonly maxLength: number;
}

/** Receives what a template renders: its own text, and values. */
interface Output {
  text(text: string): void;
  value(value: unknown): void;
  /** Calls `render` for a partial at this place. */
  partial(render: () => void): void;
  result(): string;
}

/**
 * Renders the templates of one prompt.
 * Values come only from own members of the variables, and are never parsed as templates. A missing
 * value is empty; objects and lists become JSON. Steps and length are counted over all templates,
 * so that nested partials or sections cannot expand a small prompt without bound. Throws
 * `prompt_invalid`.
 */
export class Renderer {
  private steps = 0;
  private length = 0;
  private depth = 0;
  private readonly stack: unknown[];
  /** Parsed private partials by their text, so that a repeated one is parsed once. */
  private readonly privates = new Map<string, Template>();

  constructor(private readonly input: RenderInput) {
    this.stack = [input.variables];
  }

  /** Renders plain text without escaping. */
  plain(template: Template): string {
    return this.into(new PlainOutput(this.count), template);
  }

  /** Renders JSON text: a value inside a string is escaped, a value elsewhere becomes JSON. */
  json(template: Template): string {
    return this.into(new JsonOutput(this.count), template);
  }

  private into(output: Output, { nodes }: Template): string {
    this.nodes(nodes, output);
    return output.result();
  }

  private readonly count = (text: string): void => {
    this.length += text.length;
    if (this.length > this.input.maxLength)
      throw promptInvalid(`The rendered prompt has more than ${String(this.input.maxLength)} characters.`);
  };

  private step(steps = 1): void {
    this.steps += steps;
    if (this.steps > TEMPLATE_LIMITS.steps)
      throw promptInvalid(`Rendering takes more than ${String(TEMPLATE_LIMITS.steps)} steps.`);
  }

  private nodes(nodes: readonly TemplateNode[], output: Output): void {
    for (const node of nodes) {
      this.step();
      switch (node.kind) {
        case 'text':
          output.text(node.text);
          break;
        case 'value':
          output.value(this.lookUp(node.path));
          break;
        case 'section':
          this.section(node, output);
          break;
        case 'partial':
          this.partial(this.saved(node.reference), output);
          break;
        case 'private': {
          const template = this.privateOf(node.name);
          if (template) this.partial(template, output);
          break;
        }
      }
    }
  }

  private section(
    { path, inverted, children }: Extract<TemplateNode, { kind: 'section' }>,
    output: Output,
  ): void {
    const value = this.lookUp(path);
    const isEmpty = Array.isArray(value) ? value.length === 0 : !value;
    if (inverted || isEmpty) {
      if (inverted && isEmpty) this.nodes(children, output);
      return;
    }
    if (Array.isArray(value)) for (const item of value) this.within(item, children, output);
    else if (value === true) this.nodes(children, output);
    else this.within(value, children, output);
  }

  private within(value: unknown, children: readonly TemplateNode[], output: Output): void {
    this.step();
    this.stack.push(value);
    this.nodes(children, output);
    this.stack.pop();
  }

  private partial({ nodes }: Template, output: Output): void {
    if (this.depth >= TEMPLATE_LIMITS.partialDepth)
      throw promptInvalid(`Partials go at most ${String(TEMPLATE_LIMITS.partialDepth)} levels deep.`);
    this.depth += 1;
    output.partial(() => {
      this.nodes(nodes, output);
    });
    this.depth -= 1;
  }

  private saved(reference: PartialReference): Template {
    const template = this.input.partial(reference);
    if (!template) throw promptInvalid(`There is no partial ${reference} in this workspace.`);
    return template;
  }

  /**
   * Returns a private partial. Its text comes from the caller, so it must not name a saved partial.
   */
  private privateOf(name: string): Template | null {
    const text = this.lookUp(name.split('.'));
    if (text === undefined || text === null) return null;
    if (typeof text !== 'string')
      throw promptInvalid(`The private partial ${name} must be a string.`, `variables.${name}`);
    const cached = this.privates.get(text);
    if (cached) return cached;
    const template = parseTemplate(text);
    this.step(sizeOf(template));
    if (partialsOf(template).size > 0)
      throw promptInvalid(`The private partial ${name} must not name a saved partial.`, `variables.${name}`);
    this.privates.set(text, template);
    return template;
  }

  /**
   * Looks up a path: the first segment from the innermost section outwards, the rest within its
   * value.
   */
  private lookUp(path: readonly string[]): unknown {
    const { stack } = this;
    const [first, ...rest] = path;
    if (first === undefined) return stack.at(-1);
    for (let at = stack.length - 1; at >= 0; at -= 1) {
      const holder = stack[at];
      if (!hasMember(holder, first)) continue;
      let value: unknown = holder[first];
      for (const name of rest) value = hasMember(value, name) ? value[name] : undefined;
      return value;
    }
    return undefined;
  }
}

const hasMember = (holder: unknown, name: string): holder is Record<string, unknown> =>
  typeof holder === 'object' &&
  holder !== null &&
  Object.hasOwn(holder, name) &&
  !(Array.isArray(holder) && name === 'length');

/** Returns the saved partials that a template names. */
export function partialsOf({ nodes }: Template): Set<PartialReference> {
  const found = new Set<PartialReference>();
  walk(nodes, (node) => {
    if (node.kind === 'partial') found.add(node.reference);
  });
  return found;
}

/** Returns the number of nodes of a template. */
function sizeOf({ nodes }: Template): number {
  let size = 0;
  walk(nodes, () => {
    size += 1;
  });
  return size;
}

/** Visits all nodes. The recursion is bounded by the depth of sections. */
export function walk(nodes: readonly TemplateNode[], visit: (node: TemplateNode) => void): void {
  for (const node of nodes) {
    visit(node);
    if (node.kind === 'section') walk(node.children, visit);
  }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Escapes text for the inside of a JSON string. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

class PlainOutput implements Output {
  private readonly pieces: string[] = [];

  constructor(private readonly count: (text: string) => void) {}

  text(text: string): void {
    this.count(text);
    this.pieces.push(text);
  }
  value(value: unknown): void {
    this.text(textOf(value));
  }
  partial(render: () => void): void {
    render();
  }
  result(): string {
    return this.pieces.join('');
  }
}

/**
 * Tracks the quotes of the JSON text as it grows, so that no value can end its string or add a
 * member.
 */
class JsonOutput implements Output {
  private readonly pieces: string[] = [];
  private inString = false;
  private afterBackslash = false;
  /** Number of objects, lists and commas outside strings. */
  private values = 0;
  /** Whether the current partial is inside a string, so that its text is not JSON. */
  private quoted = false;

  constructor(private readonly count: (text: string) => void) {}

  text(text: string): void {
    if (this.quoted) {
      this.push(escaped(text));
      return;
    }
    this.push(text);
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.afterBackslash) this.afterBackslash = false;
      else if (code === BACKSLASH) this.afterBackslash = this.inString;
      else if (code === QUOTE) this.inString = !this.inString;
      else if (!this.inString && STRUCTURE.has(code)) this.values += 1;
    }
    if (this.values > TEMPLATE_LIMITS.rawValues)
      throw promptInvalid(
        `The raw template renders to more than ${String(TEMPLATE_LIMITS.rawValues)} objects, lists and members.`,
      );
  }
  value(value: unknown): void {
    if (value === undefined || value === null) return;
    this.assertUnescaped();
    if (this.inString) this.push(escaped(textOf(value)));
    // Its quotes are balanced, so that the string state is the same afterwards.
    else this.text(JSON.stringify(value));
  }
  partial(render: () => void): void {
    this.assertUnescaped();
    const before = this.quoted;
    this.quoted = before || this.inString;
    render();
    this.quoted = before;
  }
  result(): string {
    return this.pieces.join('');
  }

  /** The backslash would escape the first character, so that the next one could end the string. */
  private assertUnescaped(): void {
    if (this.inString && this.afterBackslash)
      throw promptInvalid('A raw template must not have a variable or partial directly after a backslash.');
  }

  private push(text: string): void {
    this.count(text);
    this.pieces.push(text);
  }
}

const QUOTE = 0x22;
/** `,`, `[` and `{`. */
const STRUCTURE: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b]);
const BACKSLASH = 0x5c;
