import { Button, Input } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import { addValue, type EnumValues, moveValueUp, removeValue, setValue, valuesOf } from './enum-edits.js';
import { asText, Labelled } from './form-inputs.js';
import classes from './model.module.css';

interface EnumSettingsProps {
  /** `enums` of the field, not validated. */
  enums: unknown;
  /** Returns the error of a property; a name with a trailing slash includes nested properties. */
  faultOf: (property: string) => string | undefined;
  onChange: (values: EnumValues | undefined) => void;
}

export function EnumSettings({ enums, faultOf, onChange }: EnumSettingsProps) {
  const { form } = useTexts('model').model;
  const values = valuesOf(enums);
  const error = faultOf('enums');
  return (
    <div className={classes.sizes}>
      {values.map((item, index) => (
        <EnumValue
          key={index}
          one={item}
          index={index}
          error={faultOf(`enums/${index}`) ?? faultOf(`enums/${index}/`)}
          onSet={(member, text) => onChange(setValue(values, index, member, text))}
          onUp={() => onChange(moveValueUp(values, index))}
          onRemove={() => onChange(removeValue(values, index))}
        />
      ))}
      {error !== undefined && <Input.Error>{error}</Input.Error>}
      <div>
        <Button variant="default" size="xs" onClick={() => onChange(addValue(values))}>
          {form.enums.add}
        </Button>
      </div>
    </div>
  );
}

interface EnumValueProps {
  one: EnumValues[number];
  index: number;
  error: string | undefined;
  onSet: (member: 'value' | 'label', text: string) => void;
  onUp: () => void;
  onRemove: () => void;
}

function EnumValue({ one, index, error, onSet, onUp, onRemove }: EnumValueProps) {
  const { form } = useTexts('model').model;
  const value = asText(one['value']);
  return (
    <div role="group" aria-label={form.enums.group(value)} className={classes.line}>
      <Labelled label={form.enums.value} error={error}>
        {(id) => (
          <Input
            id={id}
            value={value}
            spellCheck={false}
            autoCapitalize="none"
            onChange={({ target }) => onSet('value', target.value)}
          />
        )}
      </Labelled>
      <Labelled label={form.texts.label} error={undefined}>
        {(id) => <Input id={id} value={asText(one['label'])} onChange={({ target }) => onSet('label', target.value)} />}
      </Labelled>
      <span className={classes.ends}>
        <Button variant="subtle" size="xs" disabled={index === 0} onClick={onUp}>
          {form.enums.up(value)}
        </Button>
        <Button variant="subtle" size="xs" onClick={onRemove}>
          {form.enums.remove(value)}
        </Button>
      </span>
    </div>
  );
}
