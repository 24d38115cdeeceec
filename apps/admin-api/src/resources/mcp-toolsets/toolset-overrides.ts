import type { StoredToolOverride } from '@gw/entities';
import { isObject, type ErrorDetail } from '@gw/kernel';
import { own, ownList, ownObject, type JsonObject } from '@gw/mcp';

const OVERRIDES_MAX = 200;
const ARGUMENTS_MAX = 100;
const CHARACTERS_MAX = 65_536;
const TEXTS = { title: 255, description: 4_000 } as const;
const KNOWN: ReadonlySet<string> = new Set([...Object.keys(TEXTS), 'hidden_arguments', 'fixed_arguments']);

/** Overrides that are well-formed, and the faults of the others. */
export interface ReadOverrides {
  readonly overrides: Readonly<Record<string, StoredToolOverride>>;
  readonly faults: readonly ErrorDetail[];
}

/**
 * Reads the overrides of a member. `schemas` contains the input schemas of the tools that the
 * caller sees, by name.
 */
export function readOverrides(
  given: JsonObject,
  path: string,
  schemas: ReadonlyMap<string, JsonObject>,
): ReadOverrides {
  const entries = Object.entries(given);
  if (entries.length > OVERRIDES_MAX || JSON.stringify(given).length > CHARACTERS_MAX) {
    const message = `must have at most ${String(OVERRIDES_MAX)} tools and ${String(CHARACTERS_MAX)} characters as JSON`;
    return { overrides: {}, faults: [{ path, message }] };
  }
  const checked = entries.map(([tool, override]) => {
    const at = `${path}.${tool.slice(0, 128)}`;
    return { tool, override, faults: overrideFaults(override, schemas.get(tool), at) };
  });
  const right = checked.filter(({ faults }) => faults.length === 0);
  return {
    overrides: Object.fromEntries(right.map(({ tool, override }) => [tool, override as StoredToolOverride])),
    faults: checked.flatMap(({ faults }) => faults),
  };
}

function overrideFaults(override: unknown, schema: JsonObject | undefined, path: string): ErrorDetail[] {
  if (schema === undefined) return [{ path, message: 'must name a tool of the server that you may use' }];
  if (!isObject(override)) return [{ path, message: 'must be an object' }];
  return [...shapeFaults(override, path), ...argumentFaults(override, schema, path)];
}

function shapeFaults(override: JsonObject, path: string): ErrorDetail[] {
  const unknown = Object.keys(override).filter((name) => !KNOWN.has(name));
  const texts = Object.entries(TEXTS).filter(([name, max]) => !isText(own(override, name), max));
  return [
    ...unknown.map((name) => ({
      path: `${path}.${name.slice(0, 64)}`,
      message: `is unknown; an override has ${[...KNOWN].join(', ')}`,
    })),
    ...texts.map(([name, max]) => ({
      path: `${path}.${name}`,
      message: `must be a text of 1 to ${String(max)} characters`,
    })),
  ];
}

const isText = (value: unknown, max: number): boolean =>
  value === undefined || (typeof value === 'string' && value !== '' && value.length <= max);

function argumentFaults(override: JsonObject, schema: JsonObject, path: string): ErrorDetail[] {
  // A null member is a fault: clients must leave out a member that they do not want to set.
  const { hidden_arguments: hidden = [], fixed_arguments: fixed = {} } = override;
  if (!isNames(hidden))
    return [
      {
        path: `${path}.hidden_arguments`,
        message: `must be a list of at most ${String(ARGUMENTS_MAX)} names`,
      },
    ];
  if (!isObject(fixed) || Object.keys(fixed).length > ARGUMENTS_MAX) {
    const message = `must be an object of at most ${String(ARGUMENTS_MAX)} values by name of the argument`;
    return [{ path: `${path}.fixed_arguments`, message }];
  }
  const properties = ownObject(schema, 'properties');
  const isUnknown = (name: string): boolean => !Object.hasOwn(properties, name);
  const message = 'must name an argument of the input schema of the tool';
  const required = ownList(schema, 'required').map(String);
  return [
    ...hidden
      .filter(isUnknown)
      .map((name) => ({ path: `${path}.hidden_arguments`, message: `${message}: ${name}` })),
    ...Object.keys(fixed)
      .filter(isUnknown)
      .map((name) => ({ path: `${path}.fixed_arguments.${name.slice(0, 128)}`, message })),
    ...hidden
      .filter((name) => required.includes(name) && !Object.hasOwn(fixed, name))
      .map((name) => ({
        path: `${path}.hidden_arguments`,
        message: `hides ${name}, which the tool requires; give it a value in fixed_arguments`,
      })),
  ];
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.length <= ARGUMENTS_MAX &&
  value.every((name) => typeof name === 'string' && name !== '' && name.length <= 255);
