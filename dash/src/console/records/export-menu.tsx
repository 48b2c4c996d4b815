import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { saveFile } from '../../ui/save-file.js';
import type { ListView } from '../data/list-address.js';
import type { RecordSchema } from '../data/record-schema.js';
import { exportRecords, type RecordContext } from '../data/records-api.js';
import classes from './records.module.css';
import { Menu } from './menu.js';

interface ExportMenuProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly view: ListView;
  readonly columns: readonly string[];
}

const FORMATS = ['csv', 'ndjson', 'json'] as const;

export function ExportMenu({ context, schema, view, columns }: ExportMenuProps) {
  const { records } = useTexts('records');
  const [hasAllFields, setAllFields] = useState(true);
  const save = useMutation({
    mutationFn: (format: string) => exportRecords(context, schema, view, format, { columns, hasAllFields }),
    onSuccess: (file, format) => saveFile(file, `${schema.name}.${format}`),
  });
  return (
    <Menu label={records.export}>
      <div className={classes.note}>{records.exportNote}</div>
      <label>
        <input
          type="checkbox"
          checked={hasAllFields}
          onChange={({ currentTarget }) => setAllFields(currentTarget.checked)}
        />
        {records.exportAll}
      </label>
      {save.error && <Notice tone="problem">{explainAsText(save.error)}</Notice>}
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
