import { canonicalJson, isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { capabilityDigest, OPERATION_META, type CapabilityType } from './capability';
import type { Finding } from './finding';
import { severityOf } from './findings';
import { CODES, McpFault } from '../fault';

export type ApprovalMode = 'auto' | 'review_changes' | 'review_all';

/**
 * State of a capability. An `approved` capability is served as it is, a `serve_approved` one with
 * its approved text. `pending` and `changed` capabilities are hidden, and calls of them are
 * refused.
 */
export type ApprovalState = 'approved' | 'pending' | 'changed' | 'serve_approved';

export interface ApprovalInput {
  readonly mode: ApprovalMode;
  readonly type: CapabilityType;
  /** The approved definition; null if no definition was ever approved. */
  readonly approved: JsonObject | null;
  readonly now: JsonObject;
  readonly findings: readonly Finding[];
  /** The first snapshot of an integration, which its creator approves as a whole. */
  readonly isFirstSnapshot: boolean;
  /**
   * With `serve_approved`, a tool with a changed definition stays callable under its approved text
   * while its input schema is unchanged.
   */
  readonly onChange: 'block' | 'serve_approved';
}

/**
 * Decides the state of a capability after a snapshot. A definition with the approved digest is
 * approved, even if the server did not list it meanwhile, unless members outside of the digest make
 * it hostile. In every mode an approval is needed for a
 * finding of severity `high`, for a hint that became less safe, and for a changed operation of an
 * HTTP service.
 */
export function approvalState(input: ApprovalInput): ApprovalState {
  const { mode, type, approved, now, findings } = input;
  if (approved === null) return stateOfNew(input);
  const isSame = capabilityDigest(type, approved) === capabilityDigest(type, now);
  if (isSame && (severityOf(findings) !== 'high' || hasSameTexts(approved, now))) return 'approved';
  const needsReview = mode !== 'auto' || severityOf(findings) === 'high' || isLessSafe(approved, now);
  if (!needsReview) return 'approved';
  const isSameInput = canonicalJson(own(approved, 'inputSchema')) === canonicalJson(own(now, 'inputSchema'));
  return input.onChange === 'serve_approved' && isSameInput && !isLessSafe(approved, now)
    ? 'serve_approved'
    : 'changed';
}

/** Returns whether two definitions differ in their icons at most, which findings do not read. */
function hasSameTexts(approved: JsonObject, now: JsonObject): boolean {
  const textsOf = ({ icons: _icons, ...read }: JsonObject): string => canonicalJson(read);
  return textsOf(approved) === textsOf(now);
}

function stateOfNew({ mode, findings, isFirstSnapshot }: ApprovalInput): ApprovalState {
  if (severityOf(findings) === 'high' || mode === 'review_all') return 'pending';
  return mode === 'auto' || isFirstSnapshot ? 'approved' : 'pending';
}

/** Default values of hints (MCP 2025-11-25, ToolAnnotations). */
const HINT_DEFAULTS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;
type Hint = keyof typeof HINT_DEFAULTS;

/**
 * Returns whether a tool lost its read-only or non-destructive hint, or calls another HTTP
 * operation than the approved definition.
 */
const isLessSafe = (approved: JsonObject, now: JsonObject): boolean =>
  (hintOf(approved, 'readOnlyHint') && !hintOf(now, 'readOnlyHint')) ||
  (!hintOf(approved, 'destructiveHint') && hintOf(now, 'destructiveHint')) ||
  operationOf(approved) !== operationOf(now);

/**
 * Returns method and path of the HTTP operation that a tool from an OpenAPI document calls; null
 * for another tool. Other servers may send anything as such an operation.
 */
function operationOf(definition: JsonObject): string | null {
  const operation = own(ownObject(definition, '_meta'), OPERATION_META);
  return isObject(operation) ? canonicalJson([own(operation, 'method'), own(operation, 'path')]) : null;
}

/** Returns a hint of a definition, or the protocol's default. */
export function hintOf(definition: JsonObject, hint: Hint): boolean {
  const annotations = own(definition, 'annotations');
  const value = isObject(annotations) ? own(annotations, hint) : undefined;
  return typeof value === 'boolean' ? value : HINT_DEFAULTS[hint];
}

/** Returns whether callers see a capability in this state and may call it. */
export const isServed = (state: ApprovalState | 'rejected'): boolean =>
  state === 'approved' || state === 'serve_approved';

/**
 * Checks that an approval names the newest digest, so that an administrator approves only a
 * definition that was shown. Throws a fault with status 409.
 */
export function checkApproval(digest: string, newest: string): void {
  if (digest !== newest)
    throw new McpFault(CODES.invalidParams, 'The definition changed; read it again before you approve it.', {
      status: 409,
      data: { type: 'etag_mismatch' },
    });
}
