import { isObject } from '@gw/kernel';
import { TASKS_EXTENSION, type JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';

/** Capabilities that a client declared to a server. */
export interface ClientCapabilities {
  /** Elicitation by a form. */
  readonly form: boolean;
  /** Elicitation by a URL that the user opens. */
  readonly url: boolean;
  readonly sampling: boolean;
  readonly samplingTools: boolean;
  readonly roots: boolean;
  /** The extension for tasks. */
  readonly tasks: boolean;
}

const NAMES = ['form', 'url', 'sampling', 'samplingTools', 'roots', 'tasks'] as const;

export const NO_CAPABILITIES: ClientCapabilities = Object.freeze(
  Object.fromEntries(NAMES.map((name) => [name, false])) as unknown as ClientCapabilities,
);

/**
 * Reads `capabilities` of `initialize`, or the client capabilities of `_meta`. Unknown members are
 * ignored.
 */
export function readCapabilities(declared: JsonObject): ClientCapabilities {
  const has = (name: string): boolean => isObject(own(declared, name));
  const elicitation = ownObject(declared, 'elicitation');
  const url = isObject(own(elicitation, 'url'));
  return {
    // An empty object means forms, because revisions before 2025-11-25 have no other kind.
    form: has('elicitation') && (isObject(own(elicitation, 'form')) || !url),
    url,
    sampling: has('sampling'),
    samplingTools: isObject(own(ownObject(declared, 'sampling'), 'tools')),
    roots: has('roots'),
    tasks: isObject(own(ownObject(declared, 'extensions'), TASKS_EXTENSION)) || has('tasks'),
  };
}

/** Returns the capabilities in the form of `initialize` and `_meta`. */
export const writtenCapabilities = (has: ClientCapabilities): JsonObject => ({
  ...((has.form || has.url) && {
    elicitation: { ...(has.form && { form: {} }), ...(has.url && { url: {} }) },
  }),
  ...(has.sampling && { sampling: has.samplingTools ? { tools: {} } : {} }),
  ...(has.roots && { roots: {} }),
  ...(has.tasks && { extensions: { [TASKS_EXTENSION]: {} } }),
});

/**
 * Encodes the capabilities in six bits, for session ids and for the key of pooled upstream
 * sessions.
 */
export const capabilityBits = (has: ClientCapabilities): number =>
  (has.form ? 1 : 0) |
  (has.url ? 2 : 0) |
  (has.sampling ? 4 : 0) |
  (has.samplingTools ? 8 : 0) |
  (has.roots ? 16 : 0) |
  (has.tasks ? 32 : 0);

export const capabilitiesOfBits = (bits: number): ClientCapabilities =>
  Object.fromEntries(
    NAMES.map((name, index) => [name, (bits & (1 << index)) !== 0]),
  ) as unknown as ClientCapabilities;
