import { VERDICT_MARKS, type VerdictMark } from '@gw/log-store';
import {
  ResponseField,
  DateField,
  EnumField,
  pageOf,
  ReferenceField,
  Strict,
  TextField,
  UuidField,
} from '@gw/web';

const STAGES = ['input', 'output'] as const;
const MARKS = [...VERDICT_MARKS, 'none'] as const;
const CHECK = { optional: true, max: 255, description: 'Id of a check.', example: 'gw.pii' } as const;

export class QualityQuery {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @DateField({ optional: true, description: 'Start of the period. Runs are counted by whole days.' })
  time_of_generation_min?: string;
  @DateField({ optional: true, description: 'End of the period.' }) time_of_generation_max?: string;
}

export class VerdictsQuery extends pageOf({ size: 100 }) {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @DateField({ optional: true, description: 'Start of the period.' }) time_of_generation_min?: string;
  @DateField({ optional: true, description: 'End of the period.' }) time_of_generation_max?: string;
  @TextField(CHECK) check?: string;
  @EnumField(['failed', 'errored'], { optional: true }) verdict?: 'failed' | 'errored';
  @EnumField(MARKS, { optional: true, description: 'none returns the verdicts without a mark.' })
  mark?: (typeof MARKS)[number];
}

@Strict()
export class VerdictFeedbackDto {
  @UuidField({
    description: 'Id of the log record whose verdicts are marked.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  log_id!: string;
  @TextField({ ...CHECK, description: 'Id of a check of the guardrail. Default: all failed checks.' })
  check?: string;
  @EnumField(STAGES, { optional: true }) stage?: (typeof STAGES)[number];
  @EnumField(MARKS, { description: 'none removes the mark.', example: 'false_positive' })
  mark!: (typeof MARKS)[number];
  @TextField({ optional: true, max: 500, example: 'A street, no person.' }) note?: string;
  @ReferenceField({ optional: true }) workspace_id?: string;
}

export class VerdictFeedbackResponse {
  @ResponseField.integer({ description: 'Number of marked verdicts.', example: 1 })
  readonly marked!: number;
}

export class VerdictResponse {
  @ResponseField.uuid() readonly log_id!: string;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.uuid({ nullable: true }) readonly workspace_id!: string | null;
  @ResponseField.text({ example: 'gw.pii' }) readonly check!: string;
  @ResponseField.oneOf(STAGES) readonly stage!: string;
  @ResponseField.oneOf(['failed', 'errored']) readonly verdict!: 'failed' | 'errored';
  @ResponseField.boolean({ description: 'Whether the guardrail denied the request.' })
  readonly denied!: boolean;
  @ResponseField.number({ description: 'Duration in milliseconds.', example: 1.25 })
  readonly duration_ms!: number;
  @ResponseField.text({ nullable: true, description: 'Version of the guardrail.' })
  readonly version_id!: string | null;
  @ResponseField.oneOf(VERDICT_MARKS, { nullable: true }) readonly mark!: VerdictMark | null;
  @ResponseField.time({ nullable: true }) readonly marked_at!: string | null;
  @ResponseField.uuid({ nullable: true }) readonly marked_by!: string | null;
  @ResponseField.text({ nullable: true }) readonly note!: string | null;
}

class PrecisionResponse {
  @ResponseField.number({
    description: 'Share of correct verdicts among the marked ones.',
    example: 0.92,
  })
  readonly estimate!: number;
  @ResponseField.number({ description: 'Lower end of the 95 % interval.', example: 0.81 })
  readonly low!: number;
  @ResponseField.number({ description: 'Upper end of the 95 % interval.', example: 0.97 })
  readonly high!: number;
}

export class QualityNumbersResponse {
  @ResponseField.integer({ example: 1200 }) readonly runs!: number;
  @ResponseField.integer({ example: 40 }) readonly failed!: number;
  @ResponseField.integer({ description: 'Runs without a verdict because of an error.', example: 2 })
  readonly errored!: number;
  @ResponseField.number({ description: 'Average duration in milliseconds; 0 without runs.', example: 0.8 })
  readonly average_ms!: number;
  @ResponseField.integer({ example: 3 }) readonly false_positives!: number;
  @ResponseField.integer({ example: 30 }) readonly true_positives!: number;
  @ResponseField.one(() => PrecisionResponse, {
    nullable: true,
    description: 'Estimated precision; null without marks.',
  })
  readonly precision!: PrecisionResponse | null;
  @ResponseField.number({
    nullable: true,
    description: 'Precision if all unmarked verdicts are correct; null without failed verdicts.',
    example: 0.925,
  })
  readonly precision_at_most!: number | null;
}

export class CheckQualityResponse extends QualityNumbersResponse {
  @ResponseField.text({ example: 'gw.pii' }) readonly check!: string;
  @ResponseField.oneOf(STAGES) readonly stage!: string;
}

export class GuardrailQualityResponse {
  @ResponseField.uuid() readonly guardrail_id!: string;
  @ResponseField.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
  @ResponseField.one(() => QualityNumbersResponse, { description: 'Sums over all checks.' })
  readonly total!: QualityNumbersResponse;
  @ResponseField.list(() => CheckQualityResponse) readonly checks!: readonly CheckQualityResponse[];
}
