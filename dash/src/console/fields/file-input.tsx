import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { explainInWords } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { fileAddress, isPicture, sendFiles } from '../data/files-api.js';
import { Reference } from '../data/record-changes.js';
import { SentPart } from './sent-part.js';
import type { InputProps } from './field-kind.types.js';
import classes from './fields.module.css';
import { ReferenceInput } from './reference-input.js';

const KEPT_MS = 1_800_000;

export function FileInput(props: InputProps) {
  const { field, value, onChange, disabled, inCell } = props;
  if (inCell === true) return <ReferenceInput {...props} />;
  const chosen = (Array.isArray(value) ? value : [value]).filter((one) => one instanceof Reference);
  return (
    <ReferenceInput
      {...props}
      shown={(one) => <FileLook file={one} />}
      more={
        disabled !== true && (
          <Upload
            many={field.many}
            onSent={(sent) => onChange(field.many ? [...chosen, ...sent] : (sent[0] ?? null))}
          />
        )
      }
    />
  );
}

interface UploadProps {
  readonly many: boolean;
  readonly onSent: (files: readonly Reference[]) => void;
}

function Upload({ many, onSent }: UploadProps) {
  const { records } = useTexts('records');
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [part, setPart] = useState(0);
  const send = useMutation({
    mutationFn: (files: readonly File[]) => sendFiles(files.slice(0, many ? undefined : 1), setPart),
    onSuccess: onSent,
  });
  const take = (files: FileList | null): void => {
    if (files === null || files.length === 0 || send.isPending) return;
    setPart(0);
    send.mutate([...files]);
  };
  function onDrop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  }
  return (
    <div
      className={classes.upload}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <input
        ref={input}
        type="file"
        hidden
        multiple={many}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          currentTarget.value = '';
        }}
      />
      <Button variant="default" size="xs" loading={send.isPending} onClick={() => input.current?.click()}>
        {records.files.send}
      </Button>
      <span role="status" className={classes.empty}>
        {send.isPending ? records.files.sending(send.variables.map(({ name }) => name).join(', ')) : records.files.drop}
      </span>
      {send.isPending && <SentPart label={records.files.send} part={part} />}
      {send.error && (
        <span role="alert" className={classes.fault}>
          {explainInWords(send.error)}
        </span>
      )}
    </div>
  );
}

function FileLook({ file }: { readonly file: Reference }) {
  const { records } = useTexts('records');
  const id = String(file.id);
  const picture = useQuery({
    queryKey: ['records', 'file-address', id],
    queryFn: () => fileAddress(id, 'inline'),
    enabled: isPicture(file),
    staleTime: KEPT_MS,
    retry: false,
  });
  const open = useMutation({
    mutationFn: () => fileAddress(id, 'attachment'),
    onSuccess: (address) => location.assign(address),
  });
  return (
    <>
      {picture.data !== undefined && (
        <img className={classes.picture} src={picture.data} alt={records.files.preview(file.label)} loading="lazy" />
      )}
      <button
        type="button"
        className={classes.drop}
        aria-label={records.files.save(file.label)}
        title={open.error ? explainInWords(open.error) : records.files.save(file.label)}
        onClick={() => open.mutate()}
      >
        ↓
      </button>
    </>
  );
}
