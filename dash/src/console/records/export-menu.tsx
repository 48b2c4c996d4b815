import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { explainInWords } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { saveFile } from '../../ui/save-file.js';
import type { ListView } from '../data/list-address.js';
import type { RecordSchema } from '../data/record-schema.js';
import { exportRecords, type RecordWorld } from '../data/records-api.js';
import classes from './records.module.css';
import { Menu } from './menu.js';

interface ExportMenuProps {
  readonly world: RecordWorld;
  readonly schema: RecordSchema;
  readonly view: ListView;
  readonly columns: readonly string[];
}

const FORMATS = ['csv', 'ndjson', 'json'] as const;

export function ExportMenu({ world, schema, view, columns }: ExportMenuProps) {
  const { records } = useTexts('records');
  const [isWhole, setWhole] = useState(true);
  const save = useMutation({
    mutationFn: (format: string) => exportRecords(world, schema, view, format, { columns, isWhole }),
    onSuccess: (file, format) => saveFile(file, `${schema.name}.${format}`),
  });
  return (
    <Menu label={records.export}>
      <div className={classes.note}>{records.exportNote}</div>
      <label>
        <input type="checkbox" checked={isWhole} onChange={({ currentTarget }) => setWhole(currentTarget.checked)} />
        {records.exportAll}
      </label>
      {save.error && <Notice tone="problem">{explainInWords(save.error)}</Notice>}
      {FORMATS.map((format) => (
        <Button
          key={format}
          variant="default"
          size="xs"
          loading={save.isPending && save.variables === format}
          onClick={() => save.isPending || save.mutate(format)}
        >
          {format.toUpperCase()}
        </Button>
      ))}
    </Menu>
  );
}
