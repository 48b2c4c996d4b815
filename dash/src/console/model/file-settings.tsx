import { Button, Input } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { sizeText } from '../../ui/size-text.js';
import {
  addSize,
  type FilePart,
  partOf,
  pointerPart,
  readNumber,
  readTypes,
  removeSize,
  renameSize,
  type Sizes,
  sizesOf,
  withMember,
} from './file-edits.js';
import { asText, Choice, Labelled, ListEntry } from './form-inputs.js';
import classes from './model.module.css';

interface FileSettingsProps {
  file: unknown;
  /** Returns the error of a property; a name with a trailing slash includes nested properties. */
  faultOf: (property: string) => string | undefined;
  onChange: (file: FilePart | undefined) => void;
}

export function FileSettings({ file, faultOf, onChange }: FileSettingsProps) {
  const { form } = useTexts('model').model;
  const part = partOf(file);
  const set = (name: string, value: unknown): void => onChange(withMember(part, name, value));
  return (
    <>
      <div className={classes.line}>
        <ListEntry
          label={form.file.types}
          hint={form.file.typesHint}
          values={Array.isArray(part['types']) ? part['types'].map(String) : []}
          error={faultOf('file/types') ?? faultOf('file/types/')}
          read={readTypes}
          onChange={(types) => set('types', types)}
        />
        {(['max_size', 'quota'] as const).map((name) => (
          <Bytes
            key={name}
            label={form.file[name]}
            value={part[name]}
            error={faultOf(`file/${name}`)}
            onChange={(bytes) => set(name, bytes)}
          />
        ))}
      </div>
      <ImageSizes sizes={sizesOf(part['sizes'])} faultOf={faultOf} onChange={(sizes) => set('sizes', sizes)} />
    </>
  );
}

interface PartProps<T> {
  value: unknown;
  label: string;
  error: string | undefined;
  onChange: (value: T) => void;
}

function Bytes({ label, value, error, onChange }: PartProps<number | string | undefined>) {
  const { locale, model } = useTexts('model');
  const hint = typeof value === 'number' && value >= 1 ? sizeText(value, locale) : model.form.file.noBound;
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(id) => (
        <Input
          id={id}
          value={asText(value)}
          inputMode="numeric"
          onChange={({ target }) => onChange(readNumber(target.value))}
        />
      )}
    </Labelled>
  );
}

/** Faults contain at most this many characters of a name in their pointer. */
const MAX_NAME_LENGTH = 100;

interface ImageSizesProps {
  sizes: Sizes;
  faultOf: (property: string) => string | undefined;
  onChange: (sizes: Sizes | undefined) => void;
}

function ImageSizes({ sizes, faultOf, onChange }: ImageSizesProps) {
  const { form } = useTexts('model').model;
  const error = faultOf('file/sizes');
  return (
    <div className={classes.sizes}>
      {Object.entries(sizes).map(([name, size], index) => (
        <ImageSize
          key={index}
          name={name}
          size={size}
          error={faultOf(`file/sizes/${pointerPart(name.slice(0, MAX_NAME_LENGTH))}`)}
          rename={(to) => renameSize(sizes, name, to)}
          onSizes={onChange}
          onChange={(next) => onChange({ ...sizes, [name]: next })}
          onRemove={() => onChange(removeSize(sizes, name))}
        />
      ))}
      {error !== undefined && <Input.Error>{error}</Input.Error>}
      <div>
        <Button variant="default" size="xs" onClick={() => onChange(addSize(sizes))}>
          {form.file.addSize}
        </Button>
      </div>
    </div>
  );
}

interface ImageSizeProps {
  name: string;
  size: FilePart;
  error: string | undefined;
  rename: (name: string) => Sizes | null;
  onSizes: (sizes: Sizes) => void;
  onChange: (size: FilePart) => void;
  onRemove: () => void;
}

const FITS = ['inside', 'cover'] as const;

function ImageSize({ name, size, error, rename, onSizes, onChange, onRemove }: ImageSizeProps) {
  const { file } = useTexts('model').model.form;
  /** A name that is already taken. It is displayed, but not saved. */
  const [duplicate, setDuplicate] = useState<string | null>(null);
  const set = (member: string, value: unknown): void => onChange(withMember(size, member, value) ?? {});
  function call(to: string): void {
    const renamed = rename(to);
    setDuplicate(renamed === null ? to : null);
    if (renamed !== null) onSizes(renamed);
  }
  return (
    <div role="group" aria-label={file.size(name)} className={classes.line}>
      <Labelled label={file.sizeName} error={duplicate === null ? error : file.duplicateName}>
        {(id) => (
          <Input
            id={id}
            value={duplicate ?? name}
            spellCheck={false}
            autoCapitalize="none"
            onChange={({ target }) => call(target.value)}
            onBlur={() => setDuplicate(null)}
          />
        )}
      </Labelled>
      {(['width', 'height'] as const).map((side) => (
        <Labelled key={side} label={file[side]} error={undefined}>
          {(id) => (
            <Input
              id={id}
              value={asText(size[side])}
              inputMode="numeric"
              onChange={({ target }) => set(side, readNumber(target.value))}
            />
          )}
        </Labelled>
      ))}
      <Choice
        label={file.fit}
        value={asText(size['fit']) || 'inside'}
        options={FITS}
        labels={file.fits}
        error={undefined}
        onChange={(fit) => set('fit', fit === 'inside' ? undefined : fit)}
      />
      <span className={classes.ends}>
        <Button variant="subtle" size="xs" onClick={onRemove}>
          {file.removeSize(name)}
        </Button>
      </span>
    </div>
  );
}
