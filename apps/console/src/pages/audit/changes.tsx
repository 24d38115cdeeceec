import type { ReactElement } from 'react';
import { audit } from '../../messages';
import { nameOf } from '../../write/paths';
import { changesOf, valueWords } from './record-words';
import type { AuditRecord } from './use-records';
import './audit.css';

/** Table of the changes of a record by field. */
export function Changes({ record }: { readonly record: AuditRecord }): ReactElement {
  const changes = changesOf(record);
  if (changes.length === 0) return <p className="sub">{audit.noChanges}</p>;
  return (
    <table className="audit-changes" aria-label={audit.changes}>
      <thead>
        <tr>
          <th scope="col">{audit.field}</th>
          <th scope="col">{audit.before}</th>
          <th scope="col">{audit.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ path, before, after }) => (
          <tr key={nameOf(path)}>
            <th scope="row">
              <code>{nameOf(path)}</code>
            </th>
            <td className="audit-before private">{valueWords(before)}</td>
            <td className="audit-after private">{valueWords(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
