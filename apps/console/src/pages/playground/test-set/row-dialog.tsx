import { Button, Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { checkWords, testSets as text } from '../../../messages/en/test-sets';
import { KeyValues } from '../../../ui/primitives';
import type { Check } from './checks/check';
import { CheckEditor } from './checks/check-editor';
import type { TestRow } from './test-set';

interface RowDialogProps {
  readonly row: TestRow;
  readonly number: number;
  readonly onCheck: (check: Check | null) => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** Dialog with the request of a row and its own check. */
export function RowDialog({ row, number, onCheck, onRemove, onClose }: RowDialogProps): ReactElement {
  return (
    <Modal opened onClose={onClose} title={text.rowOf(number, row.name)} size="lg">
      <div className="col">
        <div className="private tests-values" tabIndex={0} role="region" aria-label={text.row}>
          {row.draft === null ? <KeyValues items={Object.entries(row.values)} /> : <p>{text.ownRequest}</p>}
        </div>
        <CheckEditor label={text.ownCheck} none={checkWords.ofSet} check={row.check} onChange={onCheck} />
        <Button className="right" onClick={onRemove}>
          {text.remove}
        </Button>
      </div>
    </Modal>
  );
}
