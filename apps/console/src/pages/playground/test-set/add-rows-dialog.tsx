import { Button, Modal, SegmentedControl, Textarea } from '@mantine/core';
import { useRef, useState, type ReactElement } from 'react';
import { testSets as text } from '../../../messages/en/test-sets';
import { rowsOfCsv, rowsOfLines, textOfFile, type CsvFault } from './csv-rows';
import { addFault, type TestRow } from './test-set';

const faultWords = ({ fault, record, text: what }: CsvFault): string => text.faults[fault](record, what);

interface AddRowsDialogProps {
  readonly rows: readonly TestRow[];
  readonly onAdd: (rows: readonly TestRow[]) => void;
  readonly onClose: () => void;
}

/** Dialog that adds rows from pasted lines, pasted CSV or a CSV file. */
export function AddRowsDialog({ rows, onAdd, onClose }: AddRowsDialogProps): ReactElement {
  const [form, setForm] = useState<'lines' | 'csv'>('lines');
  const [source, setSource] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const write = (next: string): void => {
    setSource(next);
    setFault(null);
  };
  const choose = async (chosen: File): Promise<void> => {
    const read = await textOfFile(chosen);
    if (typeof read === 'string') write(read);
    else setFault(read === null ? text.utf8 : faultWords(read));
  };
  const add = (): void => {
    const read = form === 'lines' ? rowsOfLines(source) : rowsOfCsv(source);
    if ('fault' in read) return setFault(faultWords(read));
    const full = addFault(rows, read);
    if (full !== null) return setFault(text.full[full]);
    onAdd(read);
  };
  return (
    <Modal opened onClose={onClose} title={text.addTitle} size={680}>
      <div className="col private">
        <SegmentedControl
          aria-label={text.from}
          value={form}
          onChange={(next) => {
            setForm(next);
            setFault(null);
          }}
          data={(['lines', 'csv'] as const).map((value) => ({ value, label: text.forms[value] }))}
        />
        <Textarea
          label={text[form]}
          description={text[`${form}Hint`]}
          autosize
          minRows={8}
          maxRows={20}
          spellCheck={false}
          value={source}
          error={fault}
          onChange={({ currentTarget }) => write(currentTarget.value)}
          data-autofocus
        />
        <div className="row">
          {form === 'csv' && (
            <>
              <input
                ref={file}
                type="file"
                hidden
                accept=".csv,text/csv"
                aria-label={text.file}
                onChange={({ currentTarget }) => {
                  const [chosen] = currentTarget.files ?? [];
                  if (chosen !== undefined) void choose(chosen);
                  // Clears the input, so that the same file can be chosen again.
                  currentTarget.value = '';
                }}
              />
              <Button onClick={() => file.current?.click()}>{text.file}</Button>
            </>
          )}
          <Button variant="filled" className="right" disabled={source.trim() === ''} onClick={add}>
            {text.addNow}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
