import type { LabelEntity } from '@gw/entities';
import { Answer, RowAnswer, rowFields } from '@gw/web';

export class LabelAnswer extends RowAnswer {
  @Answer.uuid()
  readonly id!: string;

  @Answer.text({ example: 'canary' })
  readonly name!: string;

  @Answer.text({ nullable: true })
  readonly description!: string | null;

  @Answer.text({ nullable: true, example: '#0969da' })
  readonly color_code!: string | null;

  @Answer.uuid({ description: 'Of the caller, for a universal label too.' })
  readonly organisation_id!: string;

  @Answer.uuid({ nullable: true, description: 'Null: of every workspace.' })
  readonly workspace_id!: string | null;

  @Answer.boolean({ description: 'Every organisation has it, and it cannot be changed.' })
  readonly is_universal!: boolean;

  @Answer.oneOf(['active', 'archived'])
  readonly status!: 'active' | 'archived';
}

export class LabelListAnswer {
  @Answer.list(() => LabelAnswer)
  readonly data!: LabelAnswer[];

  @Answer.integer({ example: 1 })
  readonly total!: number;
}

export const toLabel = (row: LabelEntity, organisationId: string): LabelAnswer => ({
  id: row.id,
  name: row.name,
  description: row.description,
  color_code: row.colorCode,
  organisation_id: organisationId,
  workspace_id: row.workspaceId,
  is_universal: row.organisationId === null,
  status: row.status,
  ...rowFields(row),
});
