import { Button } from '@mantine/core';
import { useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { describeFields } from '../data/translate-faults.js';
import { Conflicts } from './conflicts.js';
import { nameOf } from './record-name.js';
import type { RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';
import type { CellEdits } from './use-cell-edits.js';

interface PendingBarProps {
  readonly schema: RecordSchema;
  readonly edits: CellEdits;
  readonly onSave: () => void;
}

export function PendingBar({ schema, edits, onSave }: PendingBarProps) {
  const { records, recordFaults } = useTexts('records');
  const labels = Object.fromEntries(schema.fields.map(({ name, label }) => [name, label]));
  const [isConfirming, setConfirming] = useState(false);
  const { conflict } = edits;
  return (
    <div className={classes.foot} role="region" aria-label={records.pending(edits.count)}>
      {edits.error !== null && (
        <Notice tone="problem">
          {describeFields(edits.error, labels, recordFaults) ?? explainAsText(edits.error)}
        </Notice>
      )}
      {conflict && (
        <Conflicts
          key={conflict.id}
          schema={schema}
          title={records.conflictsIn(nameOf(schema, conflict.theirs.values))}
          conflicts={conflict.conflicts}
          onResolve={edits.resolve}
        />
      )}
      <span>{records.pending(edits.count)}</span>
      <span className={classes.spring} />
      <Button size="xs" loading={edits.isBusy} disabled={conflict !== null} onClick={onSave}>
        {records.save}
      </Button>
      <Button
        size="xs"
        variant="default"
        data-danger={isConfirming || undefined}
        onClick={() => (isConfirming ? edits.discard() : setConfirming(true))}
        onBlur={() => setConfirming(false)}
      >
        {isConfirming ? records.confirm : records.discard}
      </Button>
    </div>
  );
}
