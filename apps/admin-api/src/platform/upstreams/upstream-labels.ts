import type { UpstreamHealthState, UpstreamIntegration } from '@gw/entities';
import { EnumField, MapField, TextField, TextListField } from '@gw/web';
import type { SelectQueryBuilder } from 'typeorm';
import { parseTags } from '../common/tags';
import { HEALTH_STATES } from './upstream-health.dto';

/**
 * Fields of an integration that help people to find it; each is stored in a column of the same
 * name.
 */
export class UpstreamLabelFields {
  @TextField({
    optional: true,
    nullable: true,
    description: 'Who is responsible for the upstream.',
    example: 'Platform team',
  })
  owner?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 2_048,
    pattern: /^https?:\/\/\S+$/,
    description: 'Where users get help with the upstream.',
    example: 'https://wiki.example.com/help',
  })
  support_url?: string | null;
  @TextField({ optional: true, nullable: true, max: 64, example: 'production' }) environment?: string | null;
  @MapField({ optional: true, nullable: true, valueMax: 255, example: { team: 'platform' } })
  tags?: Record<string, string> | null;
  @TextListField({
    optional: true,
    nullable: true,
    maxItems: 32,
    itemMax: 64,
    description: 'Kinds of data that the upstream processes.',
    example: ['personal'],
  })
  data_classes?: string[] | null;
}

/** Query parameters that filter a list by labels and health. */
export interface LabelsQuery {
  readonly tags?: string;
  readonly environment?: string;
  readonly data_class?: string;
  readonly health?: UpstreamHealthState;
}

type Class<B> = new () => B;

/**
 * Adds the filters to a query class: `class ListThingsQuery extends labelled(pageOf({ size: 100 }))
 * {}`.
 */
export function labelled<B extends object>(base: Class<B>): Class<B & LabelsQuery> {
  class Labelled extends (base as Class<object>) implements LabelsQuery {
    @TextField({
      optional: true,
      max: 4_096,
      description: 'A JSON object of strings. Each of its tags must match.',
    })
    tags?: string;
    @TextField({ optional: true, max: 64 }) environment?: string;
    @TextField({ optional: true, max: 64, description: "One of the integration's data classes." })
    data_class?: string;
    @EnumField(HEALTH_STATES, { optional: true, description: 'State at the last health check.' })
    health?: UpstreamHealthState;
  }
  return Labelled as Class<B & LabelsQuery>;
}

/**
 * Applies the filters to integrations with the alias `i`. Throws `validation_failed` for invalid
 * tags.
 */
export function filterByLabels<I extends UpstreamIntegration>(
  rows: SelectQueryBuilder<I>,
  { tags, environment, data_class: dataClass, health }: LabelsQuery,
): void {
  const wanted = parseTags(tags);
  if (wanted !== null) rows.andWhere('i.tags @> CAST(:tags AS jsonb)', { tags: JSON.stringify(wanted) });
  if (environment !== undefined) rows.andWhere('i.environment = :environment', { environment });
  if (dataClass !== undefined)
    rows.andWhere('i.data_classes @> CAST(:classes AS jsonb)', { classes: JSON.stringify([dataClass]) });
  if (health !== undefined) rows.andWhere('i.health_state = :health', { health });
}
