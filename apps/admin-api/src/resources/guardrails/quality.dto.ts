import { VERDICT_MARKS, type VerdictMark } from '@gw/log-store';
import { Answer, DateField, EnumField, pageOf, ReferenceField, Strict, TextField, UuidField } from '@gw/web';

const STAGES = ['input', 'output'] as const;
const MARKS = [...VERDICT_MARKS, 'none'] as const;
const CHECK = { optional: true, max: 255, description: 'Id of a check.', example: 'gw.pii' } as const;

export class QualityQuery {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @DateField({ optional: true, description: 'Not before; runs are counted by whole days.' })
  time_of_generation_min?: string;
  @DateField({ optional: true, description: 'Not after.' }) time_of_generation_max?: string;
}

export class VerdictsQuery extends pageOf({ size: 100 }) {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @DateField({ optional: true, description: 'Not before.' }) time_of_generation_min?: string;
  @DateField({ optional: true, description: 'Not after.' }) time_of_generation_max?: string;
  @TextField(CHECK) check?: string;
  @EnumField(['failed', 'errored'], { optional: true }) verdict?: 'failed' | 'errored';
  @EnumField(MARKS, { optional: true, description: 'none: not marked.' }) mark?: (typeof MARKS)[number];
}

@Strict()
export class VerdictFeedbackDto {
  @UuidField({
    description: 'The log record whose verdicts it is about.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  log_id!: string;
  @TextField({ ...CHECK, description: 'One check of the guardrail; all that failed when absent.' })
  check?: string;
  @EnumField(STAGES, { optional: true }) stage?: (typeof STAGES)[number];
  @EnumField(MARKS, { description: 'none takes a mark away.', example: 'false_positive' })
  mark!: (typeof MARKS)[number];
  @TextField({ optional: true, max: 500, example: 'A street, no person.' }) note?: string;
  @ReferenceField({ optional: true }) workspace_id?: string;
}

export class VerdictFeedbackAnswer {
  @Answer.integer({ description: 'Verdicts that were marked.', example: 1 }) readonly marked!: number;
}

export class VerdictAnswer {
  @Answer.uuid() readonly log_id!: string;
  @Answer.time() readonly created_at!: string;
  @Answer.uuid({ nullable: true }) readonly workspace_id!: string | null;
  @Answer.text({ example: 'gw.pii' }) readonly check!: string;
  @Answer.oneOf(STAGES) readonly stage!: string;
  @Answer.oneOf(['failed', 'errored']) readonly verdict!: 'failed' | 'errored';
  @Answer.boolean({ description: 'Whether the request was ended by its guardrail.' })
  readonly denied!: boolean;
  @Answer.number({ description: 'Milliseconds.', example: 1.25 }) readonly duration_ms!: number;
  @Answer.text({ nullable: true, description: 'Version of the guardrail.' })
  readonly version_id!: string | null;
  @Answer.oneOf(VERDICT_MARKS, { nullable: true }) readonly mark!: VerdictMark | null;
  @Answer.time({ nullable: true }) readonly marked_at!: string | null;
  @Answer.uuid({ nullable: true }) readonly marked_by!: string | null;
  @Answer.text({ nullable: true }) readonly note!: string | null;
}

class PrecisionAnswer {
  @Answer.number({ description: 'Share of right verdicts among those that were marked.', example: 0.92 })
  readonly estimate!: number;
  @Answer.number({ description: 'Lower end of the 95 % interval.', example: 0.81 }) readonly low!: number;
  @Answer.number({ description: 'Upper end of the 95 % interval.', example: 0.97 }) readonly high!: number;
}

export class QualityNumbersAnswer {
  @Answer.integer({ example: 1200 }) readonly runs!: number;
  @Answer.integer({ example: 40 }) readonly failed!: number;
  @Answer.integer({ description: 'Runs that could not decide.', example: 2 }) readonly errored!: number;
  @Answer.number({ description: 'Milliseconds; 0 without runs.', example: 0.8 }) readonly average_ms!: number;
  @Answer.integer({ example: 3 }) readonly false_positives!: number;
  @Answer.integer({ example: 30 }) readonly true_positives!: number;
  @Answer.one(() => PrecisionAnswer, { nullable: true, description: 'Null: nothing is marked.' })
  readonly precision!: PrecisionAnswer | null;
  @Answer.number({
    nullable: true,
    description: 'What precision would be if all unmarked verdicts were right; null: nothing has failed.',
    example: 0.925,
  })
  readonly precision_at_most!: number | null;
}

export class CheckQualityAnswer extends QualityNumbersAnswer {
  @Answer.text({ example: 'gw.pii' }) readonly check!: string;
  @Answer.oneOf(STAGES) readonly stage!: string;
}

export class GuardrailQualityAnswer {
  @Answer.uuid() readonly guardrail_id!: string;
  @Answer.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
  @Answer.one(() => QualityNumbersAnswer, { description: 'All checks together.' })
  readonly total!: QualityNumbersAnswer;
  @Answer.list(() => CheckQualityAnswer) readonly checks!: readonly CheckQualityAnswer[];
}
