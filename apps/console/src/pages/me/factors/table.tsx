import { ActionIcon } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Factor } from '../../../factors/factor-types';
import { factors as text } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Moment } from '../../../ui/primitives';
import type { Change } from './dialog';

interface FactorTableProps {
  readonly factors: readonly Factor[];
  readonly onChange: (change: Change) => void;
}

export function FactorTable({ factors, onChange }: FactorTableProps): ReactElement {
  return (
    <table className="me-table">
      <thead>
        <tr>
          {Object.values(text.columns).map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          <th scope="col">
            <span className="visually-hidden">{text.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {factors.map((factor) => (
          <tr key={factor.id}>
            <th scope="row">{factor.name}</th>
            <td>{text.kinds[factor.type]}</td>
            <td>
              <Moment at={factor.created_at} />
            </td>
            <td>{factor.last_used_at === null ? text.never : <Moment at={factor.last_used_at} />}</td>
            <td>
              <span className="row">
                <ActionIcon
                  variant="subtle"
                  aria-label={text.rename(factor.name)}
                  onClick={() => onChange({ kind: 'rename', factor })}
                >
                  <Icon name="pencil" size={14} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  aria-label={text.remove(factor.name)}
                  onClick={() => onChange({ kind: 'remove', factor })}
                >
                  <Icon name="trash" size={14} />
                </ActionIcon>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
