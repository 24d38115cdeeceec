import { Button } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { problemFrom, type Problem } from '../../api';
import { audit } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { Badge } from '../../ui/primitives';
import { saveFile } from '../../ui/save-file';
import type { PageState } from '../../url';
import { csvOf } from './csv';
import { recordWords } from './record-words';
import { FILE_MAX, readAll, type AuditRecord } from './use-records';

interface CsvButtonProps {
  readonly state: PageState;
  readonly actorOf: (record: AuditRecord) => string;
}

/** Saves the records of the range and filters as a CSV file. Leaving the page cancels it. */
export function CsvButton({ state, actorOf }: CsvButtonProps): ReactElement {
  const [isReading, setReading] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const reader = useRef<AbortController | null>(null);
  useEffect(() => () => reader.current?.abort(), []);
  const save = async (): Promise<void> => {
    const controller = new AbortController();
    reader.current = controller;
    setReading(true);
    setProblem(null);
    try {
      const records = await readAll(state, controller.signal);
      saveFile(audit.csvFile, csvOf(records, { actorOf, what: recordWords }), 'text/csv');
    } catch (error) {
      if (!controller.signal.aborted) setProblem(problemFrom(error));
    } finally {
      setReading(false);
    }
  };
  return (
    <>
      {problem !== null && <Badge tone="danger">{problem.message}</Badge>}
      <Button
        leftSection={<Icon name="download" size={14} />}
        title={audit.csvHint(FILE_MAX)}
        loading={isReading}
        onClick={() => void save()}
      >
        {audit.csv}
      </Button>
    </>
  );
}
