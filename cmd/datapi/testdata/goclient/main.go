// Command goclient uses a client that was generated from openapi.yaml against a service; its argument is the
// service's address. It ends with 0 where every answer was the one that the document promises.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"goclient/client"
)

func main() {
	if err := try(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "goclient:", err)
		os.Exit(1)
	}
}

func try(ctx context.Context, address string) error {
	c, err := client.NewClientWithResponses(address + "/api/v1")
	if err != nil {
		return err
	}
	dtos, name := int64(8), "from-go"
	made, err := c.CreateEndpointWithResponse(ctx, nil, client.EndpointCreate{
		Ia: "soft0@alpha", Name: &name, Attributes: &client.EndpointCreateAttributes{MaxRecvDtos: &dtos},
	})
	if err != nil || made.JSON201 == nil {
		return fmt.Errorf("create: %w, %s", err, made.Body)
	}
	ep := *made.JSON201
	if ep.State != client.UNCONNECTED || ep.Attributes.MaxRecvDtos != 8 || ep.Pz != nil {
		return fmt.Errorf("create gave %+v", ep)
	}
	if err := modify(ctx, c, ep.Id, made.HTTPResponse.Header.Get("ETag")); err != nil {
		return err
	}
	soft := int64(3)
	marked, err := c.SetEndpointWatermarksWithResponse(ctx, ep.Id, nil, client.WatermarksBody{SoftHigh: &soft})
	if err != nil || marked.JSON200 == nil || marked.JSON200.Watermarks.HardHigh != nil {
		return fmt.Errorf("watermarks: %w, %s", err, marked.Body)
	}
	listed, err := c.ListEndpointsWithResponse(ctx, nil)
	if err != nil || listed.JSON200 == nil || len(listed.JSON200.Items) != 1 {
		return fmt.Errorf("list: %w, %s", err, listed.Body)
	}
	freed, err := c.FreeEndpointWithResponse(ctx, ep.Id, nil)
	if err != nil || freed.StatusCode() != http.StatusNoContent {
		return fmt.Errorf("free: %w, %s", err, freed.Body)
	}
	gone, err := c.GetEndpointStatusWithResponse(ctx, ep.Id, nil)
	if err != nil || gone.ApplicationproblemJSON4XX == nil || *gone.ApplicationproblemJSON4XX.DatReturn != client.DATINVALIDHANDLE {
		return fmt.Errorf("status of a freed endpoint: %w, %s", err, gone.Body)
	}
	return nil
}

// modify changes the endpoint once with the version that it has, and once with the one that it had.
func modify(ctx context.Context, c *client.ClientWithResponses, id, etag string) error {
	dtos := int64(16)
	change := client.EndpointPatch{Attributes: &client.EndpointPatchAttributes{MaxRecvDtos: &dtos}}
	if etag == "" {
		return fmt.Errorf("create gave no ETag")
	}
	params := &client.ModifyEndpointParams{IfMatch: &etag}
	done, err := c.ModifyEndpointWithResponse(ctx, id, params, change)
	if err != nil || done.JSON200 == nil || done.JSON200.Attributes.MaxRecvDtos != 16 || done.JSON200.Version != 2 {
		return fmt.Errorf("modify: %w, %s", err, done.Body)
	}
	late, err := c.ModifyEndpointWithResponse(ctx, id, params, change)
	if err != nil || late.StatusCode() != http.StatusPreconditionFailed || *late.ApplicationproblemJSON4XX.CurrentVersion != 2 {
		return fmt.Errorf("modify with an old version: %w, %s", err, late.Body)
	}
	return nil
}
