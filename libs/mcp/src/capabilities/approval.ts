import { canonicalJson, isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { capabilityDigest, OPERATION_META, type CapabilityType } from './capability';
import type { Finding } from './finding';
import { severityOf } from './findings';
import { CODES, McpFault } from '../fault';

export type ApprovalMode = 'auto' | 'review_changes' | 'review_all';

/**
 * State of a capability. Only `approved` ones are served, and `serve_approved` in the approved
 * text; `pending` and `changed` ones are hidden and refused.
 */
export type ApprovalState = 'approved' | 'pending' | 'changed' | 'serve_approved';

export interface ApprovalInput {
  readonly mode: ApprovalMode;
  readonly type: CapabilityType;
  /** The approved definition; null for one that was never approved. */
  readonly approved: JsonObject | null;
  readonly now: JsonObject;
  readonly findings: readonly Finding[];
  /** The first snapshot of an integration, which its creator approves as a whole. */
  readonly isFirstSnapshot: boolean;
  /**
   * `serve_approved`: a changed text is not served, but the tool stays callable while its input is
   * the same.
   */
  readonly onChange: 'block' | 'serve_approved';
}

/**
 * Decides the state of a capability after a snapshot. A definition with the approved digest is
 * approved, also when it was gone meanwhile. A high finding, a hint that became less safe, and
 * another operation of an HTTP service need approval in every mode.
 */
export function approvalState(input: ApprovalInput): ApprovalState {
  const { mode, type, approved, now, findings } = input;
  if (approved === null) return stateOfNew(input);
  if (capabilityDigest(type, approved) === capabilityDigest(type, now)) return 'approved';
  const needsReview = mode !== 'auto' || severityOf(findings) === 'high' || isLessSafe(approved, now);
  if (!needsReview) return 'approved';
  const isSameInput = canonicalJson(own(approved, 'inputSchema')) === canonicalJson(own(now, 'inputSchema'));
  return input.onChange === 'serve_approved' && isSameInput && !isLessSafe(approved, now)
    ? 'serve_approved'
    : 'changed';
}

function stateOfNew({ mode, findings, isFirstSnapshot }: ApprovalInput): ApprovalState {
  if (severityOf(findings) === 'high' || mode === 'review_all') return 'pending';
  return mode === 'auto' || isFirstSnapshot ? 'approved' : 'pending';
}

/** Values of hints that a tool does not give (MCP 2025-11-25, ToolAnnotations). */
const HINT_DEFAULTS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;
type Hint = keyof typeof HINT_DEFAULTS;

/**
 * Whether a tool that only read, or that destroyed nothing, does not say so any more, or calls
 * another operation.
 */
const isLessSafe = (approved: JsonObject, now: JsonObject): boolean =>
  (hintOf(approved, 'readOnlyHint') && !hintOf(now, 'readOnlyHint')) ||
  (!hintOf(approved, 'destructiveHint') && hintOf(now, 'destructiveHint')) ||
  calledBy(approved) !== calledBy(now);

/** Method and path of the operation of a tool from an OpenAPI document; null for another tool. */
function calledBy(definition: JsonObject): string | null {
  const operation = own(ownObject(definition, '_meta'), OPERATION_META);
  return isObject(operation) ? `${String(own(operation, 'method'))} ${String(own(operation, 'path'))}` : null;
}

/** A hint of a definition; the default of the protocol without it. */
export function hintOf(definition: JsonObject, hint: Hint): boolean {
  const annotations = own(definition, 'annotations');
  const value = isObject(annotations) ? own(annotations, hint) : undefined;
  return typeof value === 'boolean' ? value : HINT_DEFAULTS[hint];
}

/** Whether callers see a capability in this state and may call it. */
export const isServed = (state: ApprovalState | 'rejected'): boolean =>
  state === 'approved' || state === 'serve_approved';

/**
 * Checks that an approval names the newest digest, so that only definitions that were shown are
 * approved. Throws a fault with status 409.
 */
export function checkApproval(digest: string, newest: string): void {
  if (digest !== newest)
    throw new McpFault(CODES.invalidParams, 'The definition changed; read it again before you approve it.', {
      status: 409,
      data: { type: 'etag_mismatch' },
    });
}
