import { Button, Input } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import type { RecordSchema } from '../data/record-schema.js';
import {
  chosenColumns,
  type ColumnChoices,
  type ColumnTarget,
  type CsvHead,
  isField,
  proposalFor,
} from './import-columns.js';
import classes from './records.module.css';

interface ImportColumnsProps {
  readonly head: CsvHead;
  readonly schema: RecordSchema;
  readonly targets: readonly ColumnTarget[];
  readonly choices: ColumnChoices;
  readonly onChoices: (choices: ColumnChoices) => void;
}

const SKIPPED = '-';

/** Maps the columns of a file to fields. A column without a matching name stays undecided until the user selects a field. */
export function ImportColumns({ head, schema, targets, choices, onChoices }: ImportColumnsProps) {
  const { records } = useTexts('records');
  const texts = records.import.columns;
  const columns = chosenColumns(head, schema, choices);
  const open = [...columns].flatMap(([heading, field]) => (field === undefined ? [heading] : []));
  const isPlain = [...columns].every(([heading, field]) => field === heading);
  const proposals = open.flatMap((heading) => {
    const field = proposalFor(heading, targets);
    return field === undefined ? [] : [[heading, field] as const];
  });
  const targetFields = new Set(targets.map(([field]) => field));
  return (
    <details className={classes.columns} open={!isPlain || undefined}>
      <summary>{open.length > 0 ? texts.open(open.length) : texts.all(columns.size)}</summary>
      <div className={classes.faults} role="region" aria-label={texts.title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.column}</th>
              <th scope="col">{texts.examples}</th>
              <th scope="col">{records.import.field}</th>
            </tr>
          </thead>
          <tbody>
            {head.headings.map((heading, index) => {
              const field = columns.get(heading);
              return (
                <tr key={`${index} ${heading}`}>
                  <td>{heading}</td>
                  <td className={classes.note}>
                    {head.examples
                      .map((row) => row[index] ?? '')
                      .join(' · ')
                      .slice(0, 80)}
                  </td>
                  <td>
                    <Input
                      component="select"
                      size="xs"
                      aria-label={texts.fieldOf(heading)}
                      aria-invalid={field === undefined || undefined}
                      error={field === undefined}
                      value={field === null ? SKIPPED : (field ?? '')}
                      onChange={({ currentTarget: { value } }) =>
                        onChoices({ ...choices, [heading]: value === SKIPPED ? null : value })
                      }
                    >
                      {field === undefined && <option value="">{texts.choose}</option>}
                      {isField(heading, schema) && !targetFields.has(heading) && (
                        <option value={heading}>{heading}</option>
                      )}
                      {targets.map(([name, text]) => (
                        <option key={name} value={name}>
                          {text} ({name})
                        </option>
                      ))}
                      <option value={SKIPPED}>{texts.leave}</option>
                    </Input>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <div className={classes.bar}>
        {proposals.length > 0 && (
          <Button
            size="xs"
            variant="default"
            onClick={() => onChoices({ ...choices, ...Object.fromEntries(proposals) })}
          >
            {texts.propose(proposals.map(([heading, field]) => `${heading} → ${field}`).join(', '))}
          </Button>
        )}
        {open.length > proposals.length && (
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              onChoices({
                ...choices,
                ...Object.fromEntries(
                  open.filter((item) => !proposals.some(([name]) => name === item)).map((item) => [item, null]),
                ),
              })
            }
          >
            {texts.skipOthers}
          </Button>
        )}
      </div>
    </details>
  );
}
