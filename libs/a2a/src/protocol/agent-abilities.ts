import { isTerminal } from '../shapes/enums';
import { A2aError } from './errors';
import type { Operation } from './operations';

/**
 * How push notifications of an agent reach clients: from the agent, by polling the agent, or not at
 * all.
 */
export type PushMode = 'relay' | 'emulate' | 'off';

/** Features of an agent, by its card and its settings. */
export interface AgentAbilities {
  readonly streaming: boolean;
  readonly push: PushMode;
  readonly extendedCard: boolean;
  /** URIs of the extensions that the card lists. */
  readonly extensions: readonly string[];
  /** URIs of those that a client must support. */
  readonly requiredExtensions: readonly string[];
}

const PUSH_OPERATIONS: ReadonlySet<Operation> = new Set<Operation>([
  'createPushConfig',
  'getPushConfig',
  'listPushConfigs',
  'deletePushConfig',
]);
const MESSAGES: ReadonlySet<Operation> = new Set<Operation>(['sendMessage', 'sendStreamingMessage']);
const STREAMS: ReadonlySet<Operation> = new Set<Operation>(['sendStreamingMessage', 'subscribeToTask']);

/** Maximum number of extensions in one header. */
const EXTENSIONS_MAX = 50;

/**
 * Returns the URIs of an `A2A-Extensions` header: separated by commas, without duplicates, at most
 * 50.
 */
export function namedExtensions(header: string | null | undefined): readonly string[] {
  const uris = (header ?? '').split(',', EXTENSIONS_MAX).map((uri) => uri.trim());
  return [...new Set(uris.filter((uri) => uri !== ''))];
}

/**
 * Checks that an agent can do an operation, and that the client names the extensions that the agent
 * requires for messages. `header` is `A2A-Extensions`. Returns the extensions to pass on: those
 * that the agent's card lists. Throws `A2aError` `pushNotSupported`, `unsupportedOperation`,
 * `extendedCardNotConfigured` or `extensionSupportRequired`.
 */
export function checkAbilities(
  operation: Operation,
  abilities: AgentAbilities,
  header: string | null | undefined,
): readonly string[] {
  const named = namedExtensions(header);
  if (PUSH_OPERATIONS.has(operation) && abilities.push === 'off') throw new A2aError('pushNotSupported');
  if (STREAMS.has(operation) && !abilities.streaming)
    throw new A2aError('unsupportedOperation', 'The agent does not stream.');
  if (operation === 'getExtendedCard' && !abilities.extendedCard)
    throw new A2aError('extendedCardNotConfigured');
  const missing = abilities.requiredExtensions.find((uri) => !named.includes(uri));
  if (missing !== undefined && MESSAGES.has(operation))
    throw new A2aError('extensionSupportRequired', `The agent requires the extension ${missing}.`);
  return named.filter((uri) => abilities.extensions.includes(uri));
}

/**
 * Checks that an operation fits the state of its task, which is one of 1.0. A task that has ended
 * cannot be canceled, streamed or continued with a message. Throws `A2aError` `taskNotCancelable`
 * or `unsupportedOperation`.
 */
export function checkTaskState(operation: Operation, state: string): void {
  if (!isTerminal(state)) return;
  if (operation === 'cancelTask') throw new A2aError('taskNotCancelable');
  if (operation === 'subscribeToTask' || MESSAGES.has(operation))
    throw new A2aError('unsupportedOperation', 'The task has ended.');
}
