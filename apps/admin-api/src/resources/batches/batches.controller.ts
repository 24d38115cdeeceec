import { INTERNAL } from '@gw/contracts';
import { BatchEntity, WorkspaceEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { EmptyResponse, invalid, TextField, UuidField } from '@gw/web';
import { Body, Controller, Param, Post, Put } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { ServiceOnly } from '../../platform/auth/access';
import { found, isUuid } from '../../platform/auth/tenancy';

const STATUS = { max: 32, pattern: /^[a-z_]+$/, example: 'completed' } as const;

export class CreateBatchDto {
  @UuidField() workspace_id!: string;
  @TextField(STATUS) status!: string;
}

export class UpdateBatchDto {
  @TextField({ description: 'Id of the output file of the batch.', example: 'file-abc123' })
  internal_output_file_id!: string;
  @TextField({ optional: true, ...STATUS }) status?: string;
}

/** Records batches that the gateway runs itself. Only Tollgate's own processes may call it. */
@ApiExcludeController()
@Controller()
export class BatchesController {
  constructor(private readonly dataSource: DataSource) {}

  @Post(INTERNAL.batches)
  @ServiceOnly()
  @ApiOkResponse({ type: CreateBatchDto })
  async create(@Body() { workspace_id: workspaceId, status }: CreateBatchDto): Promise<{ id: string }> {
    const where = { id: workspaceId.toLowerCase(), status: 'active' } as const;
    const workspace = await this.dataSource.manager.findOneBy(WorkspaceEntity, where);
    if (!workspace) throw invalid('workspace_id', 'is not an active workspace');
    const id = uuidv7();
    const { organisationId } = workspace;
    await this.dataSource.manager.insert(BatchEntity, {
      id,
      organisationId,
      workspaceId: workspace.id,
      status,
    });
    return { id };
  }

  @Put(['v1/batches/:batch', 'v2/batches/:batch'])
  @ServiceOnly()
  @ApiOkResponse({ type: EmptyResponse })
  async update(@Param('batch') batch: string, @Body() body: UpdateBatchDto): Promise<object> {
    if (!isUuid(batch)) throw new GatewayError('not_found');
    const { manager } = this.dataSource;
    const row = found(await manager.findOneBy(BatchEntity, { id: batch.toLowerCase() }));
    row.internalOutputFileId = body.internal_output_file_id;
    if (body.status !== undefined) row.status = body.status;
    await manager.save(BatchEntity, row);
    return {};
  }
}
