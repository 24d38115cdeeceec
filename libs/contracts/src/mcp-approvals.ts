/** The caller of a tool; members that do not apply are null. */
export interface McpApprovalCaller {
  readonly userId: string | null;
  readonly apiKeyId: string | null;
  readonly clientId: string | null;
  readonly trustId: string | null;
}

/** A round of input of an approved call; the first call is round 0. */
export interface McpApprovalRound {
  /** Id of the approval. */
  readonly id: string;
  readonly round: number;
}

/** A call of a tool that a rule allows only with the approval of a person. */
export interface McpApprovalRequest {
  readonly serverId: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** `principalBinding` of the caller. Only the same caller can use an approval. */
  readonly principal: string;
  readonly caller: McpApprovalCaller;
  /** Digest of the arguments as canonical JSON; at most 64 characters. */
  readonly argumentsDigest: string;
  /**
   * The arguments as JSON without credentials, as in the log; at most 131,072 characters. Null
   * where the workspace keeps no bodies.
   */
  readonly argumentsJson: string | null;
  /** The last round of a call that continues after input; null for a new call. */
  readonly continues: McpApprovalRound | null;
}

/**
 * `approved`: the call may be made now, once. `pending`: a person must decide. `rejected`: a person
 * has rejected the call. `too_many`: the maximum number of calls is already waiting. `missing`: the
 * server does not exist.
 */
export interface McpApprovalResponse {
  readonly outcome: 'approved' | 'pending' | 'rejected' | 'too_many' | 'missing';
  /** Id of the approval; null for `too_many` and `missing`. */
  readonly id: string | null;
  /** Round of the call that is approved; 0 for other outcomes. */
  readonly round: number;
  /** ISO 8601: until when a person can decide, or until when the rejection holds; else null. */
  readonly expiresAt: string | null;
  /** The reason that a person gave for the rejection; null for none. */
  readonly reason: string | null;
}
