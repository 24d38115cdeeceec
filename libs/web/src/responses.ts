import { ERRORS, type ErrorDetail } from '@gw/kernel';
import type { Type as Class } from '@nestjs/common';
import { etagOf } from './etag';
import { ResponseField } from './fields/response-fields';
import type { ListResponse } from './pagination';

/** Empty response of a write. */
export class EmptyResponse {
  readonly [field: string]: never;
}

/** Fields that the response of every resource has. */
export class RowResponse {
  @ResponseField.time()
  readonly created_at!: string;

  @ResponseField.time()
  readonly last_updated_at!: string;

  @ResponseField.etag()
  readonly etag!: string;
}

export const rowFields = (row: {
  readonly version: number;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}): RowResponse => ({
  created_at: row.createdAt.toISOString(),
  last_updated_at: row.lastUpdatedAt.toISOString(),
  etag: etagOf(row),
});

class ErrorDetailResponse implements ErrorDetail {
  @ResponseField.text({ description: 'Path of the field, separated by dots.', example: 'targets.0.weight' })
  readonly path!: string;

  @ResponseField.text({ example: 'must be a number' })
  readonly message!: string;
}

/**
 * Schema of `ErrorBody.error` for the OpenAPI document. Some types add members, such as `limit`.
 */
class ErrorFields {
  @ResponseField.text({ example: 'The request is not valid.' })
  readonly message!: string;

  @ResponseField.oneOf(Object.keys(ERRORS), {
    description: 'Stable error type; does not change between versions.',
  })
  readonly type!: string;

  @ResponseField.text({
    nullable: true,
    description: 'Name of the invalid field or header.',
    example: 'name',
  })
  readonly param!: string | null;

  @ResponseField.text({ description: 'Error family, see docs/errors.md.', example: 'AB01' })
  readonly code!: string;

  @ResponseField.text({ nullable: true, example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90' })
  readonly request_id!: string | null;

  @ResponseField.list(() => ErrorDetailResponse, { optional: true })
  readonly details?: ErrorDetailResponse[];
}

export class ErrorResponse {
  @ResponseField.one(() => ErrorFields)
  readonly error!: ErrorFields;
}

const lists = new Map<Class, Class>();

/**
 * Schema class of `ListResponse<T>` for the OpenAPI document, one for each item, named
 * `<item>List`.
 */
export function listResponseOf<T>(item: Class<T>): Class<ListResponse<T>> {
  const existing = lists.get(item);
  if (existing) return existing as Class<ListResponse<T>>;
  class List implements ListResponse<T> {
    @ResponseField.kind('list')
    readonly object!: 'list';

    @ResponseField.integer({ description: 'Number of matching items on all pages.', example: 1 })
    readonly total!: number;

    @ResponseField.list(() => item)
    readonly data!: T[];
  }
  Object.defineProperty(List, 'name', { value: `${item.name}List` });
  lists.set(item, List);
  return List;
}

/**
 * The base class of a list without `object`: `class LabelListResponse extends
 * plainListResponseOf(LabelResponse) {}`.
 */
export function plainListResponseOf<T>(
  item: Class<T>,
): Class<{ readonly data: T[]; readonly total: number }> {
  class PlainList {
    @ResponseField.list(() => item) readonly data!: T[];
    @ResponseField.integer({ example: 1 }) readonly total!: number;
  }
  return PlainList;
}
