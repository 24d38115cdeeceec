import type { GatewayApi } from '../../../gateway';
import { newMessage, variablesOf, type Draft } from '../draft/draft';
import type { Check } from './checks/check';

/** Maximum number of rows of a test set. */
export const ROWS_MAX = 200;
export const BYTES_MAX = 20_000_000;
/** Variable that holds the message of the user. */
export const INPUT = 'input';
const NAME_MAX = 120;

/** One request of a test set. Held in memory only. */
export interface TestRow {
  /** Id within this page. */
  readonly id: number;
  readonly name: string;
  /** Values of variables by name; `input` is the message of the user. */
  readonly values: Readonly<Record<string, string>>;
  /** Complete request of the row; null to use the one written on the page. */
  readonly draft: Draft | null;
  /** API of the row's own request; null for the API of the page. */
  readonly api: GatewayApi | null;
  /** Check of the row; null for the check of the set. */
  readonly check: Check | null;
}

let lastId = 0;

/** Creates a row with a new id. `name` is reduced to one line and truncated. */
export const newRow = (name: string, parts: Partial<Omit<TestRow, 'id' | 'name'>>): TestRow => ({
  id: (lastId += 1),
  name: name.replaceAll(/\s+/g, ' ').trim().slice(0, NAME_MAX),
  values: {},
  draft: null,
  api: null,
  check: null,
  ...parts,
});

/**
 * Request of a row: its own, or the one on the page with the values of the row. The row's input
 * replaces `{{input}}`, or becomes the last user message when the page has no such variable.
 */
export function draftOf(row: TestRow, shared: Draft): Draft {
  if (row.draft !== null) return { ...row.draft, config: shared.config };
  const variables = { ...shared.variables, ...row.values };
  const input = row.values[INPUT];
  if (input === undefined || variablesOf(shared).includes(INPUT)) return { ...shared, variables };
  const { messages } = shared;
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && typeof content === 'string');
  const written = newMessage('user', input);
  return {
    ...shared,
    variables,
    messages: at < 0 ? [...messages, written] : messages.with(at, written),
  };
}

function sizeOf({ values, draft }: TestRow): number {
  const files = (draft?.attachments ?? []).reduce(
    (sum, { bytes }) => sum + bytes,
    draft?.recording?.size ?? 0,
  );
  return files + JSON.stringify([values, draft?.system, draft?.messages, draft?.rest]).length;
}

/** Returns which maximum the added rows would exceed; null when they can be added. */
export function addFault(before: readonly TestRow[], added: readonly TestRow[]): 'rows' | 'bytes' | null {
  if (before.length + added.length > ROWS_MAX) return 'rows';
  const total = [...before, ...added].reduce((sum, row) => sum + sizeOf(row), 0);
  return total > BYTES_MAX ? 'bytes' : null;
}
