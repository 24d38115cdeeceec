import { FeedbackEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { inWorkspace, isUuid, reach } from '../../platform/auth/tenancy';
import { oneOrMany } from '../../platform/common/one-or-many';
import { CreateFeedbackDto, type UpdateFeedbackDto, type WrittenFeedbackResponse } from './feedback.dto';

/** Maximum characters of a feedback's metadata as JSON. */
const METADATA_LENGTH_MAX = 16_384;
/**
 * Number of rows in one insert statement. Building a statement takes 0.1 ms per row and blocks the
 * event loop.
 */
const ROWS_OF_A_STATEMENT = 100;

@Injectable()
export class FeedbackService {
  constructor(private readonly dataSource: DataSource) {}

  async create(caller: Principal, body: unknown): Promise<WrittenFeedbackResponse> {
    const { organisationId, workspaceId } = inWorkspace(caller);
    const inputs = await oneOrMany(body, CreateFeedbackDto);
    const rows = inputs.map((input) => {
      const metadata: object = metadataOf(input.metadata) ?? {};
      return {
        id: uuidv7(),
        organisationId,
        workspaceId,
        traceId: input.trace_id,
        value: input.value,
        weight: weightOf(input.weight),
        metadata,
        source: 'api' as const,
        apiKeyId: caller.apiKeyId,
        userId: caller.userId,
      };
    });
    await this.dataSource.transaction(async (manager) => {
      for (let at = 0; at < rows.length; at += ROWS_OF_A_STATEMENT)
        await manager.insert(FeedbackEntity, rows.slice(at, at + ROWS_OF_A_STATEMENT));
    });
    return written(rows.map(({ id }) => id));
  }

  /**
   * Updates feedback. Throws `not_found` for unknown feedback and for feedback of other workspaces.
   */
  async update(caller: Principal, id: string, input: UpdateFeedbackDto): Promise<WrittenFeedbackResponse> {
    if (!isUuid(id)) throw new GatewayError('not_found');
    const metadata = metadataOf(input.metadata);
    const { affected } = await this.dataSource.manager.update(
      FeedbackEntity,
      { id: id.toLowerCase(), ...reach(caller) },
      {
        value: input.value,
        ...(input.weight === undefined ? {} : { weight: weightOf(input.weight) }),
        ...(metadata === undefined ? {} : { metadata: metadata as object }),
      },
    );
    if (affected !== 1) throw new GatewayError('not_found');
    return written([id.toLowerCase()]);
  }
}

const written = (ids: readonly string[]): WrittenFeedbackResponse => ({
  status: 'success',
  message: 'Feedback has been saved.',
  feedback_ids: ids,
});

const weightOf = (weight = 1): number => (weight >= 0 && weight <= 1 ? weight : 1);

function metadataOf(metadata: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (metadata !== undefined && JSON.stringify(metadata).length > METADATA_LENGTH_MAX)
    throw new GatewayError('validation_failed', {
      param: 'metadata',
      message: `metadata must have at most ${String(METADATA_LENGTH_MAX)} characters as JSON.`,
    });
  return metadata;
}
