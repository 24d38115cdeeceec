import type { GatewayApi } from '../../../gateway';
import { newMessage, variablesOf, type Draft } from '../draft/draft';
import type { Check } from './checks/check';

/** Bounds of a test set. */
export const ROWS_MAX = 200;
export const BYTES_MAX = 20_000_000;
/** Variable that holds the message of the user. */
export const INPUT = 'input';
const NAME_MAX = 120;

/** One request of a test set. It is in memory alone. */
export interface TestRow {
  /** Id within this page. */
  readonly id: number;
  readonly name: string;
  /** Values of variables by name; `input` is the message of the user. */
  readonly values: Readonly<Record<string, string>>;
  /** A whole request in the place of the one that is written on the page; null: none. */
  readonly draft: Draft | null;
  /** API of the row's own request; null: that of the page. */
  readonly api: GatewayApi | null;
  /** Null: the check of the set. */
  readonly check: Check | null;
}

let lastId = 0;

/** A row with an id of its own; its name is the beginning of `name` on one line. */
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
 * Request of a row: its own, or the one on the page with the values of the row. Its input fills
 * `{{input}}`, and is the last message of the user where the page has no such variable.
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

/** Why rows cannot be added: `rows` or `bytes` are too many; null: they can. */
export function addFault(before: readonly TestRow[], added: readonly TestRow[]): 'rows' | 'bytes' | null {
  if (before.length + added.length > ROWS_MAX) return 'rows';
  const total = [...before, ...added].reduce((sum, row) => sum + sizeOf(row), 0);
  return total > BYTES_MAX ? 'bytes' : null;
}
