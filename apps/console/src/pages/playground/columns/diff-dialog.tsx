import { Modal, Select } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { playground as text } from '../../../messages';
import { Diff } from '../../../ui/editor';
import { comparable, type Runs } from './use-runs';

interface DiffDialogProps {
  readonly runs: Runs;
  readonly onClose: () => void;
}

/** Dialog with two responses side by side, with differing words marked. */
export function DiffDialog({ runs, onClose }: DiffDialogProps): ReactElement {
  const places = comparable(runs);
  const [left, setLeft] = useState(places[0] ?? 0);
  const [right, setRight] = useState(places[1] ?? 0);
  const picker = (label: string, value: number, onChange: (place: number) => void): ReactElement => (
    <Select
      aria-label={label}
      allowDeselect={false}
      value={String(value)}
      data={places.map((place) => ({ value: String(place), label: text.column(place + 1) }))}
      onChange={(place) => onChange(Number(place))}
    />
  );
  return (
    <Modal opened onClose={onClose} title={text.diff} size="xl">
      <div className="col private">
        <div className="playground-parameters">
          {picker(text.diffLeft, left, setLeft)}
          {picker(text.diffRight, right, setRight)}
        </div>
        <Diff
          label={text.diff}
          language="text"
          before={runs[left]?.text ?? ''}
          after={runs[right]?.text ?? ''}
        />
      </div>
    </Modal>
  );
}
