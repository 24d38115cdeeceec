import type { JsonObject } from '../call';
import { isAbsent, read } from '../values/json';

const SNAKE = new Map<string, string>();

/** Returns the snake_case spelling of one of our own member names. */
function snakeOf(name: string): string {
  let snake = SNAKE.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    SNAKE.set(name, snake);
  }
  return snake;
}

const camelOf = (name: string): string =>
  name.includes('_') ? name.replace(/_([a-z])/g, (_found, letter: string) => letter.toUpperCase()) : name;

/**
 * Reads an object whose members may be spelled in camelCase or in snake_case, as Google's own
 * parser does.
 */
export class Members {
  /** `path` is the path of the object in the client's body; '' for the body itself. */
  constructor(
    readonly body: JsonObject,
    readonly path: string,
  ) {}

  /** Reads a value that must be an object; undefined when it is absent. */
  static read(value: unknown, path: string): Members | undefined {
    const object = read.object(value, path);
    return object === undefined ? undefined : new Members(object, path);
  }

  value(name: string): unknown {
    const value = this.body[name];
    return isAbsent(value) ? this.body[snakeOf(name)] : value;
  }

  /** Path of a member in the client's own spelling. */
  at(name: string): string {
    const snake = snakeOf(name);
    const spelled = isAbsent(this.body[name]) && !isAbsent(this.body[snake]) ? snake : name;
    return this.path === '' ? spelled : `${this.path}.${spelled}`;
  }

  has(name: string): boolean {
    return !isAbsent(this.value(name));
  }

  string(name: string): string | undefined {
    return read.string(this.value(name), this.at(name));
  }

  number(name: string): number | undefined {
    return read.number(this.value(name), this.at(name));
  }

  integer(name: string): number | undefined {
    return read.integer(this.value(name), this.at(name));
  }

  boolean(name: string): boolean | undefined {
    return read.boolean(this.value(name), this.at(name));
  }

  object(name: string): JsonObject | undefined {
    return read.object(this.value(name), this.at(name));
  }

  members(name: string): Members | undefined {
    return Members.read(this.value(name), this.at(name));
  }

  /** Reads a list of objects; a single object is a list of one, as for Google. */
  list(name: string): Members[] {
    const value = this.value(name);
    if (isAbsent(value)) return [];
    const path = this.at(name);
    if (!Array.isArray(value)) return [new Members(read.object(value, path) ?? {}, path)];
    return value.map((item, index) => {
      const at = `${path}.${String(index)}`;
      return new Members(read.object(item ?? 0, at) ?? {}, at);
    });
  }

  strings(name: string): string[] | undefined {
    const value = this.value(name);
    return typeof value === 'string' ? [value] : read.strings(value, this.at(name));
  }

  /**
   * Returns the members that are not in `known`, in the client's spelling and with `prefix` before
   * their names.
   */
  rest(known: ReadonlySet<string>, prefix = ''): JsonObject {
    const rest: JsonObject = {};
    for (const name of Object.keys(this.body)) {
      if (isAbsent(this.body[name]) || known.has(camelOf(name)) || name === '__proto__') continue;
      rest[prefix + name] = this.body[name];
    }
    return rest;
  }
}

/** Returns `{ x: { gemini: members } }`; `{}` when there are none. */
export const ownMembers = (members: JsonObject): { x?: { gemini: JsonObject } } =>
  Object.keys(members).length === 0 ? {} : { x: { gemini: members } };

/** Prefixes that mark members of nested objects, which are stored next to those of the body. */
const NESTED: ReadonlyMap<string, 'generationConfig' | 'toolConfig'> = new Map([
  ['generationConfig', 'generationConfig'],
  ['generation_config', 'generationConfig'],
  ['toolConfig', 'toolConfig'],
  ['tool_config', 'toolConfig'],
]);

/**
 * Puts the members that the decoder kept by path (`generationConfig.audioTimestamp`) back into
 * their objects.
 */
export function nestedMembers(members: JsonObject = {}): {
  readonly body: JsonObject;
  readonly generationConfig: JsonObject;
  readonly toolConfig: JsonObject;
} {
  const found = { body: {} as JsonObject, generationConfig: {}, toolConfig: {} };
  for (const [path, value] of Object.entries(members)) {
    const dot = path.indexOf('.');
    const parent = dot < 0 ? undefined : NESTED.get(path.slice(0, dot));
    if (parent === undefined) found.body[path] = value;
    else (found[parent] as JsonObject)[path.slice(dot + 1)] = value;
  }
  return found;
}
