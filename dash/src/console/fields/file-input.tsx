import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { fileAddress, isImage, sendFiles } from '../data/files-api.js';
import { Reference } from '../data/record-changes.js';
import { UploadProgress } from './upload-progress.js';
import type { InputProps } from './field-kind.types.js';
import classes from './fields.module.css';
import { ReferenceInput } from './reference-input.js';

const PREVIEW_CACHE_MS = 1_800_000;

export function FileInput(props: InputProps) {
  const { field, value, onChange, disabled, inCell } = props;
  if (inCell === true) return <ReferenceInput {...props} />;
  const chosen = (Array.isArray(value) ? value : [value]).filter((item) => item instanceof Reference);
  return (
    <ReferenceInput
      {...props}
      renderReference={(item) => <FilePreview file={item} />}
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
  const [isDragOver, setDragOver] = useState(false);
  const [progress, setProgress] = useState(0);
  const send = useMutation({
    mutationFn: (files: readonly File[]) => sendFiles(files.slice(0, many ? undefined : 1), setProgress),
    onSuccess: onSent,
  });
  const upload = (files: FileList | null): void => {
    if (files === null || files.length === 0 || send.isPending) return;
    setProgress(0);
    send.mutate([...files]);
  };
  function onDrop(event: DragEvent): void {
    event.preventDefault();
    setDragOver(false);
    upload(event.dataTransfer.files);
  }
  return (
    <div
      className={classes.upload}
      data-over={isDragOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setDragOver(true);
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={onDrop}
    >
      <input
        ref={input}
        type="file"
        hidden
        multiple={many}
        onChange={({ currentTarget }) => {
          upload(currentTarget.files);
          currentTarget.value = '';
        }}
      />
      <Button variant="default" size="xs" loading={send.isPending} onClick={() => input.current?.click()}>
        {records.files.send}
      </Button>
      <span role="status" className={classes.empty}>
        {send.isPending ? records.files.sending(send.variables.map(({ name }) => name).join(', ')) : records.files.drop}
      </span>
      {send.isPending && <UploadProgress label={records.files.send} progress={progress} />}
      {send.error && (
        <span role="alert" className={classes.fault}>
          {explainAsText(send.error)}
        </span>
      )}
    </div>
  );
}

function FilePreview({ file }: { readonly file: Reference }) {
  const { records } = useTexts('records');
  const id = String(file.id);
  const preview = useQuery({
    queryKey: ['records', 'file-address', id],
    queryFn: () => fileAddress(id, 'inline'),
    enabled: isImage(file),
    staleTime: PREVIEW_CACHE_MS,
    retry: false,
  });
  const open = useMutation({
    mutationFn: () => fileAddress(id, 'attachment'),
    onSuccess: (address) => location.assign(address),
  });
  return (
    <>
      {preview.data !== undefined && (
        <img className={classes.image} src={preview.data} alt={records.files.preview(file.label)} loading="lazy" />
      )}
      <button
        type="button"
        className={classes.drop}
        aria-label={records.files.save(file.label)}
        title={open.error ? explainAsText(open.error) : records.files.save(file.label)}
        onClick={() => open.mutate()}
      >
        ↓
      </button>
    </>
  );
}
