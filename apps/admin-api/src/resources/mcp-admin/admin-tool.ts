import type { JsonObject } from '@gw/mcp';
import type { RestCall, RestCalls, RestRoute } from './rest-api';
import type { Shape } from './shapes';

interface ToolFacts {
  /** Name in snake case that begins with a verb. */
  readonly name: string;
  readonly title: string;
  /** Purpose of the tool, in a few sentences that a model reads. */
  readonly description: string;
  /** JSON Schema of each argument. */
  readonly input: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
  /** Routes that the tool may call. A caller who may use none of them does not see the tool. */
  readonly routes: readonly [RestRoute, ...RestRoute[]];
}

/** Arguments that match the tool's schema. */
export type Arguments = JsonObject;

/** A tool that only reads. */
export interface ReadTool extends ToolFacts {
  readonly kind: 'read';
  readonly output: Readonly<Record<string, Shape>>;
  /** Whether the result contains texts that callers, models or servers wrote. */
  readonly isUntrusted: boolean;
  /**
   * Runs the tool and returns the members of `output`; other members are removed. Throws
   * `RestRefusal`.
   */
  run(args: Arguments, rest: RestCalls): Promise<JsonObject>;
}

/** A tool that makes a change with one request, after planning it. */
export interface WriteTool extends ToolFacts {
  readonly kind: 'write';
  /** Whether the change deletes or revokes something. */
  readonly isDestructive: boolean;
  /**
   * Returns the request. `now` is in Unix milliseconds. Throws `RestRefusal` for arguments that no
   * request can express.
   */
  request(args: Arguments, now: number): RestCall;
}

export type AdminTool = ReadTool | WriteTool;

/** Schemas of arguments that several tools share. */
export const ARGUMENT = {
  workspace: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[\\w-]+$',
    description: 'Id or slug of a workspace; for credentials of the whole organisation.',
  },
  since: {
    type: 'string',
    pattern: '^(?:\\d{1,4}[mhd]|\\d{4}-\\d{2}-\\d{2}.{0,30})$',
    description:
      'Start of the range: a time such as 2026-11-28T09:00:00Z, or a duration before now: 30m, 24h, 7d.',
  },
  until: {
    type: 'string',
    pattern: '^(?:\\d{1,4}[mhd]|\\d{4}-\\d{2}-\\d{2}.{0,30})$',
    description: 'End of the range, in the same forms. Default: now.',
  },
  reference: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\w-]+$' },
} as const satisfies Readonly<Record<string, JsonObject>>;

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the time of an argument such as `24h` as RFC 3339; returns other texts unchanged. */
export function timeOf(argument: unknown, fallback: string): string {
  const given = typeof argument === 'string' ? argument : fallback;
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(given) ?? [];
  if (count === undefined || unit === undefined) return given;
  return new Date(Date.now() - Number(count) * (UNITS[unit] ?? 0)).toISOString();
}

/** Returns an argument that is a string; undefined otherwise. */
export const textIn = (args: Arguments, name: string): string | undefined => {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
};
