import type { ReactElement, ReactNode } from 'react';
import { GoLink, useWorkspace } from '../../app';
import { encodeFilter } from '../../url';

/** Address of a log in the list of logs. */
export const logAddress = (slug: string, id: string): string =>
  `/w/${encodeURIComponent(slug)}/logs?log=${encodeURIComponent(id)}`;

/** Address of the list of logs, filtered by a value of a field. */
export const logsAddress = (slug: string, field: string, value: string): string =>
  `/w/${encodeURIComponent(slug)}/logs?f=${encodeURIComponent(
    encodeFilter({ field, not: false, match: { kind: 'any', values: [value] } }),
  )}`;

/** A link that opens a log of the workspace. */
export function LogLink({
  id,
  children,
}: {
  readonly id: string;
  readonly children: ReactNode;
}): ReactElement {
  const { slug } = useWorkspace();
  return <GoLink to={logAddress(slug, id)}>{children}</GoLink>;
}
