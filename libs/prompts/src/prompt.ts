import { isObject } from '@gw/kernel';
import { promptInvalid } from './prompt-invalid';
import { partialsOf, Renderer, walk, type RenderInput } from './render';
import { parseTemplate, type PartialReference, type Template } from './template';

/** The compiled `string` of a prompt. */
export interface CompiledPrompt {
  /** `chat` renders to `messages`, `text` to `prompt`. */
  readonly shape: 'chat' | 'text';
  /** The saved partials that it names. */
  readonly partials: ReadonlySet<PartialReference>;
  render(input: RenderInput): unknown;
  /** Every template in it. */
  readonly templates: readonly Template[];
}

/**
 * Compiles the text of a prompt: a JSON list of messages, or plain text.
 * Without `isRaw` the JSON is parsed first and each text in it is a template. With `isRaw` the
 * whole text is one template whose result is parsed as JSON, so that sections may enclose whole
 * messages. Throws `prompt_invalid`.
 */
export function compilePrompt(text: string, isRaw: boolean): CompiledPrompt {
  const messages = isRaw ? undefined : messagesIn(text);
  if (messages !== undefined) return structured(messages);
  const template = parseTemplate(text);
  const isChat = isRaw && text.trimStart().startsWith('[');
  return {
    shape: isChat ? 'chat' : 'text',
    partials: partialsOf(template),
    templates: [template],
    render: (input) => {
      const renderer = new Renderer(input);
      return isChat ? parsedMessages(renderer.json(template)) : renderer.plain(template);
    },
  };
}

/** Compiles the text of a partial. Throws `prompt_invalid`. */
export function compilePartial(text: string): {
  readonly template: Template;
  readonly partials: ReadonlySet<string>;
} {
  const template = parseTemplate(text);
  return { template, partials: partialsOf(template) };
}

type Piece =
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'list'; readonly items: readonly Piece[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Piece])[] }
  | { readonly kind: 'constant'; readonly value: unknown };

function structured(messages: readonly unknown[]): CompiledPrompt {
  const templates: Template[] = [];
  const root = pieceOf(messages, templates, 0);
  return {
    shape: 'chat',
    templates,
    partials: new Set(templates.flatMap((template) => [...partialsOf(template)])),
    render: (input) => {
      const renderer = new Renderer(input);
      return rendered(root, renderer);
    },
  };
}

const JSON_DEPTH_MAX = 32;

function pieceOf(value: unknown, templates: Template[], depth: number): Piece {
  if (depth > JSON_DEPTH_MAX) throw promptInvalid('The messages are nested too deeply.');
  if (typeof value === 'string') {
    if (!value.includes('{{')) return { kind: 'constant', value };
    const template = parseTemplate(value);
    templates.push(template);
    return { kind: 'template', template };
  }
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((item) => pieceOf(item, templates, depth + 1)) };
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, item]) => [name, pieceOf(item, templates, depth + 1)] as const,
    );
    return { kind: 'object', members };
  }
  return { kind: 'constant', value };
}

function rendered(piece: Piece, renderer: Renderer): unknown {
  switch (piece.kind) {
    case 'template':
      return renderer.plain(piece.template);
    case 'list':
      return piece.items.map((item) => rendered(item, renderer));
    case 'object':
      return Object.fromEntries(piece.members.map(([name, item]) => [name, rendered(item, renderer)]));
    case 'constant':
      return piece.value;
  }
}

/**
 * Returns undefined when the text is not a JSON list. Throws when the list has anything but
 * messages.
 */
function messagesIn(text: string): readonly unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return assertMessages(value);
}

function parsedMessages(text: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw promptInvalid('The raw template does not render to valid JSON.');
  }
  return assertMessages(value);
}

function assertMessages(value: unknown): readonly unknown[] {
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw promptInvalid('The template must render to a JSON list of messages.');
}

const VARIABLES = new WeakMap<Template, ReadonlySet<string>>();

/**
 * Returns the names of the templates' variables, sections and private partials: the first segment
 * of each, as the caller sends it.
 */
export function variablesIn(templates: Iterable<Template>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const template of templates) for (const name of variablesOf(template)) all.add(name);
  return all;
}

function variablesOf(template: Template): ReadonlySet<string> {
  const cached = VARIABLES.get(template);
  if (cached) return cached;
  const names = new Set<string>();
  walk(template.nodes, (node) => {
    const path = 'path' in node ? node.path : node.kind === 'private' ? node.name.split('.') : [];
    if (path[0] !== undefined) names.add(path[0]);
  });
  VARIABLES.set(template, names);
  return names;
}

/** The variables and partials of a template, as the control plane shows them. */
export interface VariableComponents {
  readonly variables: readonly string[];
  readonly sections: readonly string[];
  readonly sectionVariables: Readonly<Record<string, readonly string[]>>;
  readonly partials: readonly string[];
  readonly variablePartials: readonly string[];
}

/**
 * Returns the variables and partials of templates. The variables of a section are those directly in
 * it.
 */
export function componentsOf(templates: readonly Template[]): VariableComponents {
  const variables = new Set<string>();
  const sections = new Map<string, Set<string>>();
  const partials = new Set<string>();
  const variablePartials = new Set<string>();
  for (const { nodes } of templates) {
    walk(nodes, (node) => {
      if (node.kind === 'value' && node.path.length > 0) variables.add(node.path.join('.'));
      else if (node.kind === 'partial') partials.add(node.reference);
      else if (node.kind === 'private') variablePartials.add(node.name);
      else if (node.kind === 'section') {
        const inSection = sections.get(node.path.join('.')) ?? new Set();
        sections.set(node.path.join('.'), inSection);
        for (const child of node.children) {
          if (child.kind === 'value' && child.path.length > 0) inSection.add(child.path.join('.'));
        }
      }
    });
  }
  return {
    variables: [...variables],
    sections: [...sections.keys()],
    sectionVariables: Object.fromEntries([...sections].map(([name, inSection]) => [name, [...inSection]])),
    partials: [...partials],
    variablePartials: [...variablePartials],
  };
}
