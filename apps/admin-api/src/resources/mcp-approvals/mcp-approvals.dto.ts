import type { McpApprovalEntity } from '@gw/entities';
import type { JsonObject } from '@gw/mcp';
import {
  EnumField,
  IntegerField,
  NestedField,
  pageOf,
  plainListResponseOf,
  ReferenceField,
  ResponseField,
  RowResponse,
  TextField,
  UuidField,
  viewOf,
} from '@gw/web';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'used', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export class ListMcpApprovalsQuery extends pageOf({ size: 100, sizeMax: 500 }) {
  @EnumField(APPROVAL_STATUSES, { optional: true }) status?: ApprovalStatus;
  @UuidField({ optional: true }) mcp_server_id?: string;
  @ReferenceField({ optional: true }) workspace_id?: string;
}

export class McpApprovalDecisionDto {
  @TextField({
    optional: true,
    max: 500,
    description: 'Reason that the caller of the tool sees when the call is rejected.',
    example: 'Not on a Friday.',
  })
  reason?: string;
}

export class McpApprovalResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.uuid() readonly mcp_server_id!: string;
  @ResponseField.text({ example: 'github' }) readonly mcp_server_slug!: string;
  @ResponseField.text({ example: 'delete_repository' }) readonly tool!: string;
  @ResponseField.json({
    nullable: true,
    description:
      'Arguments of the call. Credentials are shown as `[redacted]`. Null if the workspace does not log request bodies.',
    example: { repository: 'acme/site' },
  })
  readonly arguments!: Readonly<Record<string, unknown>> | null;
  @ResponseField.text({
    description: 'Digest of the arguments; equal for equal arguments.',
    example: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  })
  readonly arguments_digest!: string;
  @ResponseField.text({ nullable: true, description: 'User who made the call; null when there is none.' })
  readonly user_id!: string | null;
  @ResponseField.text({ nullable: true }) readonly api_key_id!: string | null;
  @ResponseField.text({ nullable: true, description: 'OAuth client with which the user made the call.' })
  readonly client_id!: string | null;
  @ResponseField.text({ nullable: true }) readonly trust_id!: string | null;
  @ResponseField.oneOf(APPROVAL_STATUSES, { description: 'State of the approval. used: the call was made.' })
  readonly status!: ApprovalStatus;
  @ResponseField.time({
    description:
      'Time after which a pending approval can no longer be decided, and an approved one no longer be used.',
  })
  readonly expires_at!: string;
  @ResponseField.text({ nullable: true, description: 'Id of the user or key that made the decision.' })
  readonly decided_by!: string | null;
  @ResponseField.time({ nullable: true }) readonly decided_at!: string | null;
  @ResponseField.text({ nullable: true, example: 'Not on a Friday.' }) readonly reason!: string | null;
  @ResponseField.time({ nullable: true }) readonly used_at!: string | null;
}

export class McpApprovalListResponse extends plainListResponseOf(McpApprovalResponse) {}

/** Returns the current status. A pending or approved row is expired after `expiresAt`. */
export const statusOf = ({ status, expiresAt }: McpApprovalEntity): ApprovalStatus =>
  (status === 'pending' || status === 'approved') && expiresAt.getTime() <= Date.now() ? 'expired' : status;

export const toMcpApproval = (row: McpApprovalEntity, serverSlug: string): McpApprovalResponse =>
  viewOf(McpApprovalResponse, row, {
    mcp_server_id: row.serverId,
    mcp_server_slug: serverSlug,
    arguments: row.argumentsJson === null ? null : (JSON.parse(row.argumentsJson) as JsonObject),
    status: statusOf(row),
    expires_at: row.expiresAt.toISOString(),
  });

/** Returns the form of an approval that the audit log stores, without the arguments. */
export const toAuditedMcpApproval = (row: McpApprovalEntity): object => ({
  ...{ mcp_server_id: row.serverId, tool: row.tool, arguments_digest: row.argumentsDigest },
  ...{ user_id: row.userId, api_key_id: row.apiKeyId, client_id: row.clientId, trust_id: row.trustId },
  ...{ status: row.status, reason: row.reason },
});

class ApprovalCallerDto {
  @TextField({ nullable: true, max: 255 }) userId!: string | null;
  @TextField({ nullable: true, max: 255 }) apiKeyId!: string | null;
  @TextField({ nullable: true, max: 2_048 }) clientId!: string | null;
  @TextField({ nullable: true, max: 255 }) trustId!: string | null;
}

class ApprovalRoundDto {
  @UuidField() id!: string;
  @IntegerField({ min: 0, max: 1_000 }) round!: number;
}

/** Body of a gateway's request to use an approval. */
export class UseApprovalDto {
  @UuidField() serverId!: string;
  @TextField({ max: 65_536 }) tool!: string;
  @TextField({ max: 64 }) principal!: string;
  @NestedField(() => ApprovalCallerDto) caller!: ApprovalCallerDto;
  @TextField({ max: 64 }) argumentsDigest!: string;
  @TextField({ nullable: true, max: 131_072 }) argumentsJson!: string | null;
  @NestedField(() => ApprovalRoundDto, { nullable: true }) continues!: ApprovalRoundDto | null;
}
