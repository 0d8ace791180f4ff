import { useQuery } from "@tanstack/react-query";
import type { Collection, Items } from "~/api/model";
import { list, type ListQuery } from "~/api/queries";
import { displayName } from "../object/ObjectLink";
import { SelectField } from "./fields";

interface Props<C extends Collection> {
  label: string;
  collection: C;
  query?: ListQuery<C>;
  value: string;
  onChange: (id: string) => void;
  /** The label of the first choice, which is none. */
  none: string;
  required?: boolean;
  help?: string;
  error?: string;
  /** Reports whether an object is offered. */
  filter?: (object: Items[C]) => boolean;
  describe?: (object: Items[C]) => string;
}

/** A field that chooses an object of a collection. */
export function ObjectField<C extends Collection>({ collection, query, value, none, filter, describe, ...field }: Props<C>) {
  const found = useQuery(list(collection, { ...query, limit: 1000 }));
  const objects = (found.data?.items ?? []).filter((object) => filter?.(object) ?? true);
  const missing = value !== "" && !objects.some((object) => object.id === value);
  return (
    <SelectField
      {...field}
      value={value}
      choices={[
        { value: "", label: none },
        ...(missing ? [{ value, label: displayName({ id: value }) }] : []),
        ...objects.map((object) => ({
          value: object.id,
          label: describe ? `${displayName(object)} – ${describe(object)}` : displayName(object),
        })),
      ]}
    />
  );
}
