import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { SchemaDefinition } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import { ConsolePage } from '../frame/console-page.js';
import { useCan } from '../frame/use-can.js';
import { listSchemas, MODEL } from './model-api.js';
import { RemoveSchema } from './remove-schema.js';
import { SchemaEditor } from './schema-editor.js';

const route = getRouteApi('/dash/model/$schema');
/** Name in the URL of the page for a new schema. It is not a valid schema name. */
export const NEW = '+';

const STARTER: SchemaDefinition = {
  name: 'note',
  namespace: 'notes',
  label_field: 'title',
  fields: [{ type: 'string', name: 'title', searchable: true }],
};

export function SchemaPage() {
  const { model } = useTexts('model');
  const can = useCan();
  const { schema: name } = route.useParams();
  const { data: schemas, error, refetch } = useQuery({ queryKey: [...MODEL, 'schemas'], queryFn: listSchemas });
  const isNew = name === NEW;
  const saved = isNew ? STARTER : schemas?.find((schema) => schema.name === name);
  return (
    <ConsolePage
      key={name}
      title={isNew ? model.newSchema : name}
      trail={{ to: '/dash/model', text: model.title }}
      lead={model.editorLead}
    >
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !schemas && <Loading />}
      {schemas && !saved && <Notice tone="problem">{model.noSchema}</Notice>}
      {schemas && saved && <SchemaEditor key={JSON.stringify(saved)} saved={saved} isNew={isNew} schemas={schemas} />}
      {schemas && saved && !isNew && can('schema.delete') && <RemoveSchema name={name} />}
    </ConsolePage>
  );
}
