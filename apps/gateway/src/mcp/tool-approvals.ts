import {
  INTERNAL,
  type McpApprovalCaller,
  type McpApprovalRequest,
  type McpApprovalResponse,
  type McpApprovalRound,
} from '@gw/contracts';
import { canonicalJson, GatewayError } from '@gw/kernel';
import type { DenialCause, JsonObject } from '@gw/mcp';
import { redactJson } from '@gw/telemetry';
import type { GatewayPrincipal } from '../auth/principals';
import { exactArguments } from './argument-bytes';
import { digestOfArguments } from './arguments-digest';
import { Denied } from './denials';
import type { McpRequest } from './mcp-request';

/**
 * Maximum bytes of the arguments; in `SHOWN_LENGTH_MAX`, UTF-16 units of the text that a person
 * sees. A call with larger arguments is refused, because the person must see them whole.
 * Credentials are masked, and no arguments are shown when the workspace stores no bodies.
 */
const ARGUMENTS_BYTES_MAX = 65_536;
const SHOWN_LENGTH_MAX = 131_072;

/** The tool and arguments of a call as they are sent to the server. */
export interface ApprovedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Names of the arguments whose values are the toolset's. */
  readonly fixed: ReadonlySet<string>;
}

/**
 * Checks that a person has approved a single call. The control plane stores approvals, so that each
 * is used once across all gateways.
 */
export class ToolApprovals {
  /**
   * `post` sends a POST to the control plane and resolves to the parsed response; it rejects unless
   * the status is a success.
   */
  constructor(private readonly post: (path: string, body: object) => Promise<unknown>) {}

  /**
   * Resolves if a person has approved this call, and consumes the approval. `continues` is the
   * previous round of a call that continues after input. Rejects with the denial of a call that
   * must wait or was rejected.
   */
  async use(request: McpRequest, call: ApprovedCall, continues: McpApprovalRound | null): Promise<void> {
    const { view, context } = request;
    const { access, binding, principal } = view.caller;
    const { json, shown } = boundedArguments(request, call, principal.logBodies);
    const response = await this.request({
      serverId: view.document.id,
      tool: call.tool,
      principal: binding,
      caller: callerOf(access.userId, principal, access),
      argumentsDigest: digestOfArguments(json),
      argumentsJson: shown,
      continues,
    });
    const { outcome, id, round, expiresAt, reason } = response;
    if (context.mcp !== null && id !== null) context.mcp.approval = { id, round };
    switch (outcome) {
      case 'approved':
        return;
      case 'pending':
      case 'rejected':
      case 'too_many':
        throw denied({ state: outcome, id, expiresAt, reason });
      case 'missing':
        throw new Denied({ kind: 'server_unknown' }, new GatewayError('not_found'));
    }
  }

  private async request(request: McpApprovalRequest): Promise<McpApprovalResponse> {
    try {
      return (await this.post(INTERNAL.mcpApproval, request)) as McpApprovalResponse;
    } catch (cause) {
      throw denied({ state: 'unavailable' }, cause);
    }
  }
}

/**
 * Returns the arguments as canonical JSON, and the text that a person sees, which is null when the
 * workspace stores no bodies. Both have the numbers that the server receives. Throws a denial when
 * the arguments are too large.
 */
function boundedArguments(
  request: McpRequest,
  { arguments: args, fixed }: ApprovedCall,
  isShown: boolean,
): { readonly json: string; readonly shown: string | null } {
  const canonical = canonicalJson(args);
  const json =
    request.numbers === null
      ? canonical
      : exactArguments(request, JSON.parse(canonical) as JsonObject, fixed);
  if (Buffer.byteLength(json) > ARGUMENTS_BYTES_MAX) throw denied({ state: 'too_large' });
  const shown = isShown ? exactArguments(request, redactJson(args) as JsonObject, fixed) : null;
  if (shown !== null && shown.length > SHOWN_LENGTH_MAX) throw denied({ state: 'too_large' });
  return { json, shown };
}

type Approval = Extract<DenialCause, { readonly kind: 'approval' }>;

const NONE = { id: null, expiresAt: null, reason: null };

function denied(why: Pick<Approval, 'state'> & Partial<Approval>, cause?: unknown): Denied {
  const type = why.state === 'rejected' ? 'tool_rejected' : 'tool_pending';
  return new Denied({ kind: 'approval', ...NONE, ...why }, new GatewayError(type, { cause }));
}

const callerOf = (
  userId: string | null,
  { key }: GatewayPrincipal,
  {
    keyId,
    clientId,
    trustId,
  }: Pick<McpRequest['view']['caller']['access'], 'keyId' | 'clientId' | 'trustId'>,
): McpApprovalCaller => ({ userId: userId ?? key.userId, apiKeyId: keyId, clientId, trustId });
