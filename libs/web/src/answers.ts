import { ERRORS, type ErrorDetail } from '@gw/kernel';
import type { Type as Class } from '@nestjs/common';
import { etagOf } from './etag';
import { Answer } from './fields/answer-fields';
import type { ListAnswer } from './pagination';

/** Empty response of a write. */
export class EmptyAnswer {
  readonly [field: string]: never;
}

/** Fields that the response of every resource has. */
export class RowAnswer {
  @Answer.time()
  readonly created_at!: string;

  @Answer.time()
  readonly last_updated_at!: string;

  @Answer.etag()
  readonly etag!: string;
}

export const rowFields = (row: {
  readonly version: number;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}): RowAnswer => ({
  created_at: row.createdAt.toISOString(),
  last_updated_at: row.lastUpdatedAt.toISOString(),
  etag: etagOf(row),
});

class ErrorDetailAnswer implements ErrorDetail {
  @Answer.text({ description: 'In dots.', example: 'targets.0.weight' })
  readonly path!: string;

  @Answer.text({ example: 'must be a number' })
  readonly message!: string;
}

/**
 * Schema of `ErrorBody.error` for the OpenAPI document. Some types add members, such as `limit`.
 */
class ErrorFields {
  @Answer.text({ example: 'The request is not valid.' })
  readonly message!: string;

  @Answer.oneOf(Object.keys(ERRORS), { description: 'The stable reason.' })
  readonly type!: string;

  @Answer.text({ nullable: true, description: 'The field or header at fault.', example: 'name' })
  readonly param!: string | null;

  @Answer.text({ description: 'The family of the type.', example: 'AB01' })
  readonly code!: string;

  @Answer.text({ nullable: true, example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90' })
  readonly request_id!: string | null;

  @Answer.list(() => ErrorDetailAnswer, { optional: true })
  readonly details?: ErrorDetailAnswer[];
}

export class ErrorAnswer {
  @Answer.one(() => ErrorFields)
  readonly error!: ErrorFields;
}

const lists = new Map<Class, Class>();

/**
 * Schema class of `ListAnswer<T>` for the OpenAPI document, one for each item, named `<item>List`.
 */
export function listAnswerOf<T>(item: Class<T>): Class<ListAnswer<T>> {
  const known = lists.get(item);
  if (known) return known as Class<ListAnswer<T>>;
  class List implements ListAnswer<T> {
    @Answer.kind('list')
    readonly object!: 'list';

    @Answer.integer({ description: 'Of all pages.', example: 1 })
    readonly total!: number;

    @Answer.list(() => item)
    readonly data!: T[];
  }
  Object.defineProperty(List, 'name', { value: `${item.name}List` });
  lists.set(item, List);
  return List;
}

/** The base class of a list without `object`: `class LabelListAnswer extends plainListAnswerOf(LabelAnswer) {}`. */
export function plainListAnswerOf<T>(item: Class<T>): Class<{ readonly data: T[]; readonly total: number }> {
  class PlainList {
    @Answer.list(() => item) readonly data!: T[];
    @Answer.integer({ example: 1 }) readonly total!: number;
  }
  return PlainList;
}
